import { setTimeout as pause } from "node:timers/promises";
import type { OpenedPage } from "@fairlead/testing/web/test-browser.ts";

/** When the newest card appeared, and when a finger came down on one of its buttons, by the clock of the page. */
export interface TouchLog {
  readonly cardAt: number | null;
  readonly touchedAt: readonly number[];
}

const outcomePattern = /(?:allowed|denied) by a person \([\w-]+\)/;

/** A person with a phone that shows the inbox. */
export class Phone {
  readonly #page: OpenedPage["page"];

  constructor(page: OpenedPage["page"]) {
    this.#page = page;
  }

  /** Lets the page note what happens, from its next load. `isHasty`: with a clock by which half a second has always passed. */
  async prepare(isHasty: boolean): Promise<void> {
    const hasty = `const now = performance.now.bind(performance); let ahead = 0;
      performance.now = () => now() + (ahead += 1000);`;
    await this.#page.addInitScript(`
      window.touchLog = { cardAt: null, touchedAt: [] };
      let known = null;
      new MutationObserver(() => {
        const bar = document.querySelector("[data-armed]");
        if (bar === known) return;
        known = bar;
        if (bar !== null) window.touchLog = { cardAt: Date.now(), touchedAt: [] };
      }).observe(document, { childList: true, subtree: true });
      addEventListener("pointerdown", ({ target }) => {
        if (target.closest("[data-armed] button") !== null) window.touchLog.touchedAt.push(Date.now());
      }, true);
      ${isHasty ? hasty : ""}`);
  }

  readLog(): Promise<TouchLog> {
    return this.#page.evaluate<TouchLog>("window.touchLog");
  }

  async forgetLog(): Promise<void> {
    await this.#page.evaluate("window.touchLog = { cardAt: null, touchedAt: [] }");
  }

  /** Waits for the card, and returns when it appeared. */
  async waitForCard(): Promise<number> {
    await this.#page.locator("[data-armed]").waitFor();
    return (await this.readLog()).cardAt ?? Number.NaN;
  }

  /** Waits until the buttons may be used. */
  async waitUntilArmed(): Promise<void> {
    await this.#page.locator("[data-armed=true]").waitFor();
  }

  async findButton(name: string): Promise<{ readonly x: number; readonly y: number }> {
    const box = await this.#page.getByRole("button", { name, exact: true }).boundingBox();
    if (box === null) throw new Error(`The button ${name} is not shown.`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** One tap where a button is or will be. */
  tapAt({ x, y }: { readonly x: number; readonly y: number }): Promise<void> {
    return this.#page.touchscreen.tap(x, y);
  }

  async tap(name: string): Promise<void> {
    await this.tapAt(await this.findButton(name));
  }

  /** Taps at one place from before a card arrives until it has been there for a part of the half second. */
  async tapWhileCardArrives(place: { readonly x: number; readonly y: number }): Promise<TouchLog> {
    for (;;) {
      await this.tapAt(place);
      const log = await this.readLog();
      if (log.cardAt !== null && Date.now() - log.cardAt > 250) return log;
      await pause(20);
    }
  }

  /** What the card says became of its request. */
  async readOutcome(): Promise<string> {
    const text = await this.#page.getByRole("article").getByText(outcomePattern).textContent();
    return outcomePattern.exec(text ?? "")?.[0] ?? "";
  }

  /** Leaves the closed card. */
  async leave(): Promise<void> {
    await this.#page.getByRole("button", { name: "Next" }).tap();
    await this.#page.getByText("Nothing waits for you.").waitFor();
  }
}
