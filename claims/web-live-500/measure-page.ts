import { setTimeout as delay } from "node:timers/promises";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import { quantile } from "../../measure/quantile.ts";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import { readCpuSeconds } from "../daemon/machine.ts";
import type { FeedReadersOptions } from "./feed-readers.ts";
import { listDelays, recordRowTimes, type ShownTime } from "./row-times.ts";

export interface PageFigures {
  /** Milliseconds from the agent's clock to the frame that shows the event or a later one. */
  readonly p50: number;
  readonly p95: number;
  /** The control: the p95 of a page that something keeps busy. */
  readonly busyP95: number;
  readonly eventCount: number;
  readonly rowCount: number;
  /** Cores that the daemon uses without and with followers. */
  readonly daemonAlone: number;
  readonly daemonFollowed: number;
  /** The part of a core that the main thread of the page uses. */
  readonly page: number;
  readonly problems: readonly string[];
}

export interface PageMeasurement {
  readonly daemon: DaemonProcess;
  readonly url: string;
  readonly token: string;
  readonly clients: number;
  readonly beat: number;
  readonly seconds: number;
}

/** Measures a page and clients of the overview while the agents of a daemon write. */
export async function measurePage(options: PageMeasurement): Promise<PageFigures> {
  const { daemon, url, token, clients, beat, seconds } = options;
  const daemonAlone = await measureCores(daemon.pid, seconds);
  const readers: FeedReadersOptions = { socket: daemon.socket, count: clients };
  await using followers = new ChildProgram(new URL("feed-readers.ts", import.meta.url), readers);
  await followers.readLine();
  await using browser = await TestBrowser.launch();
  const viewport = { width: 1280, height: 900 };
  const { page, context, problems } = await browser.open(`${url}/`, { token, viewport });
  await page.waitForSelector("[data-session]", { timeout: 60_000 });
  await page.evaluate(recordRowTimes);
  const devtools = await context.newCDPSession(page);
  // By the clock of the thread: by that of the wall, a page that waits for a processor would count as busy.
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const readBusy = async (): Promise<number> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const [busyBefore, startedAt] = [await readBusy(), performance.now()];
  const daemonFollowed = await measureCores(daemon.pid, seconds);
  const busy = ((await readBusy()) - busyBefore) / ((performance.now() - startedAt) / 1000);
  const readDelays = async (): Promise<Pick<PageFigures, "p50" | "p95" | "eventCount" | "rowCount">> => {
    const shown = await page.evaluate<ShownTime[]>("globalThis.shownTimes.splice(0)");
    const delays = listDelays(shown, beat);
    const [p50 = Number.NaN, p95 = Number.NaN] = [0.5, 0.95].map((share) => quantile(delays, share));
    return { p50, p95, eventCount: delays.length, rowCount: new Set(shown.map(({ session }) => session)).size };
  };
  const figures = await readDelays();
  await page.evaluate(keepBusy);
  await delay(controlSeconds * 1000);
  const { p95: busyP95 } = await readDelays();
  return { ...figures, busyP95, daemonAlone, daemonFollowed, page: busy, problems };
}

/** Keeps the page busy for 1 s of each 1.2 s. */
const keepBusy = `setInterval(() => { const end = performance.now() + 1000; while (performance.now() < end); }, 1200)`;
const controlSeconds = 10;

async function measureCores(pid: number, seconds: number): Promise<number> {
  const [before, startedAt] = [readCpuSeconds(pid), performance.now()];
  await delay(seconds * 1000);
  return (readCpuSeconds(pid) - before) / ((performance.now() - startedAt) / 1000);
}
