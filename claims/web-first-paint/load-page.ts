import type { TestBrowser } from "@fairlead/testing/web/test-browser.ts";

/** How fast the machine and the network of a person are. */
export interface Conditions {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
  /** How many times slower the processor is. */
  readonly slowdown: number;
  /** Null for the network of this machine. */
  readonly network: { readonly bitsPerSecond: number; readonly latencyMs: number } | null;
}

/** One cold load. Times are milliseconds since the navigation began. */
export interface PageLoad {
  /** The first frame that shows rows. */
  readonly listAt: number;
  /** The end of the last script that was loaded before that. */
  readonly scriptsAt: number;
  /** The first frame with any text. */
  readonly firstTextAt: number;
  /** When the WebSocket was open, and when it had brought the list. */
  readonly socketAt: number;
  readonly dataAt: number;
  /** The number of letters that it had brought until then. */
  readonly dataLength: number;
  /** What moved. */
  readonly moved: readonly string[];
  /** The sum of all layout shifts until a second after the list. */
  readonly shift: number;
  /** The paths of the scripts that were loaded before the list was shown. */
  readonly scripts: readonly string[];
  readonly problems: readonly string[];
}

/** Notes when rows are shown. A frame callback runs before its frame is drawn, and the next one after it. */
const probe = `
  window.load = { listAt: null, shift: 0, socketAt: null, dataAt: null, dataLength: 0, moved: [] };
  window.listShown = new Promise((resolve) => { window.load.resolve = resolve; });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.load.shift += entry.value;
      for (const { node } of entry.sources) window.load.moved.push(node?.outerHTML?.slice(0, 120) ?? "a text");
    }
  }).observe({ type: "layout-shift", buffered: true });
  const Native = WebSocket;
  window.WebSocket = class extends Native {
    constructor(...args) {
      super(...args);
      this.addEventListener("open", () => { window.load.socketAt ??= performance.now(); });
      this.addEventListener("message", ({ data }) => {
        if (window.load.listAt !== null) return;
        window.load.dataAt = performance.now();
        window.load.dataLength += data.length ?? 0;
      });
    }
  };
  const look = () => {
    if (document.querySelector("[data-session]") === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => { window.load.listAt = performance.now(); window.load.resolve(); });
  };
  requestAnimationFrame(look);`;

const maxWaitMs = 30_000;

const readLoad = `(() => {
  const { listAt, shift, socketAt, dataAt, dataLength, moved } = window.load;
  const scripts = performance.getEntriesByType("resource")
    .filter(({ name, responseEnd }) => name.endsWith(".js") && responseEnd <= listAt);
  return {
    listAt, shift, moved, dataLength, socketAt: socketAt ?? 0, dataAt: dataAt ?? 0,
    scripts: scripts.map(({ name }) => new URL(name).pathname),
    scriptsAt: Math.max(0, ...scripts.map(({ responseEnd }) => responseEnd)),
    firstTextAt: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? listAt,
  };
})()`;

/** Loads a page in a new browser profile, which has nothing cached. */
export async function loadPage(
  browser: TestBrowser,
  url: string,
  token: string,
  { viewport, slowdown, network }: Conditions,
): Promise<PageLoad> {
  const { page, context, problems } = await browser.open("about:blank", { viewport });
  await using _ = context;
  await context.addInitScript(`sessionStorage.setItem("fairlead.token", ${JSON.stringify(token)});`);
  await context.addInitScript(probe);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  if (network !== null) {
    const throughput = network.bitsPerSecond / 8;
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: network.latencyMs,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    });
  }
  await page.goto(url, { timeout: 120_000 });
  // A page that shows no list must fail, and not wait without a limit.
  await page.evaluate(
    `Promise.race([window.listShown, new Promise((_, fail) => setTimeout(() => fail(new Error("No list.")), ${maxWaitMs}))])`,
  );
  // What is loaded later must not move the list.
  await page.waitForTimeout(1000);
  const load = await page.evaluate<Omit<PageLoad, "problems">>(readLoad);
  return { ...load, problems };
}
