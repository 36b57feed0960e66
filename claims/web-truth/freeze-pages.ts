import type { Page } from "playwright-core";

/** Notes how long the scripts of the page did not run. */
export const freezeProbe = `
  window.longestPause = 0;
  let lastTick = performance.now();
  const tick = () => {
    const now = performance.now();
    window.longestPause = Math.max(window.longestPause, now - lastTick);
    lastTick = now;
  };
  setInterval(tick, 50);
  window.takePause = () => {
    tick();
    const pause = window.longestPause;
    window.longestPause = 0;
    return pause;
  };`;

/** Stopped processes of pages. Their scripts, timers and sockets stand still; the browser and the network do not notice. */
export class FrozenPages {
  readonly #pids: readonly number[];

  private constructor(pids: readonly number[]) {
    this.#pids = pids;
  }

  /** Stops the processes of all pages of a browser. A page that is visible is not frozen by the browser itself. */
  static async freeze(page: Page): Promise<FrozenPages> {
    const browser = page.context().browser();
    if (browser === null) throw new Error("The page has no browser.");
    const client = await browser.newBrowserCDPSession();
    const { processInfo } = await client.send("SystemInfo.getProcessInfo");
    await client.detach();
    const pids = processInfo.flatMap(({ type, id }) => (type === "renderer" ? [id] : []));
    if (pids.length === 0) throw new Error("The browser has no process of a page.");
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    return new FrozenPages(pids);
  }

  /** Continues the processes, and returns when that was. */
  thaw(): number {
    const thawedAt = performance.now();
    for (const pid of this.#pids) process.kill(pid, "SIGCONT");
    return thawedAt;
  }
}

/** Returns the longest time in which a page ran no script since it was asked last. */
export async function takePause(page: Page): Promise<number> {
  return await page.evaluate<number>("takePause()");
}
