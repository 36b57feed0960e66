import type { Fairlead } from "@fairlead/api";
import type { ReadEvent } from "@fairlead/contract";
import type { Page } from "playwright-core";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { TestBrowser } from "../../packages/testing/src/web/test-browser.ts";
import { emptyWindow, withArrivals } from "../../packages/web/src/state/timeline/event-window.ts";
import { listRows } from "../../packages/web/src/state/timeline/row-list.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import {
  describeFrames,
  type Measured,
  measureJump,
  measureRead,
  measureOpening,
  measureRest,
  measureWheel,
  readHeap,
  takeReport,
  type WheelResult,
  withCpu,
} from "./measure-page.ts";
import { percentile, probeScript } from "./page-probe.ts";

const events = readSize("events", 100_000);
const wheelSeconds = readSize("wheel", 30);
const bounds = { opening: 700, jump: 400, frame: 20, task: 100, heap: 120, drift: 1, nodes: 1500 };

export const web100k: Claim = {
  id: "web-100k",
  statement: "The page of a session of 100,000 events opens and scrolls as a short one, and nothing being read moves.",
  bound:
    `newest rows ≤ ${bounds.opening} ms, jump ≤ ${bounds.jump} ms, frames of the wheel p95 ≤ ${bounds.frame} ms, no task > ${bounds.task} ms, ` +
    `heap ≤ ${bounds.heap} MB, ≤ ${bounds.nodes} elements, rows move ≤ ${bounds.drift} px, 0 missing or doubled; on a busy machine, times are ` +
    `multiplied by how late the frames of the same page are while idle; control: a screen that shows all held rows, too many elements`,
  async prove() {
    await using testHome = new TestHome();
    const agent = { program: new URL("mixed-agent.ts", import.meta.url).href, argument: {} };
    await using daemon = await DaemonProcess.startWith(testHome, { hasPage: true, agent });
    if (daemon.page === null) throw new Error("The daemon serves no page.");
    const fairlead = daemon.connect();
    const session = await writeSession(fairlead, testHome.workspace(), events);
    const { last } = await fairlead.session(session);
    const url = `${daemon.page.url}/s/${session}`;
    await using browser = await TestBrowser.launch();
    const { page, context } = await browser.open("about:blank", { viewport: { width: 1440, height: 820 } });
    await context.addInitScript(
      `if (location.protocol === "http:") sessionStorage.setItem("fairlead.token", "${daemon.page.token}")`,
    );
    await context.addInitScript(probeScript);
    const short = await writeSession(fairlead, testHome.workspace("short"), 200);
    const shortUrl = `${daemon.page.url}/s/${short}`;
    const openings: Measured[] = [];
    const shortOpenings: Measured[] = [];
    for (let run = 0; run < 5; run++) {
      shortOpenings.push(await withCpu(page, () => measureOpening(page, shortUrl, 20)));
      openings.push(await withCpu(page, () => measureOpening(page, url, last - 20)));
    }
    const idle = await measureIdle(page);
    const numbers = Array.from({ length: 20 }, (_, at) => 1 + ((at * 7919 * 13) % (last - 1)));
    const jumps: Measured[] = [];
    for (const number of numbers) jumps.push(await withCpu(page, () => measureJump(page, number)));
    const reads: number[] = [];
    for (const number of numbers) reads.push(await measureRead(page, session, number));
    const wheel = await measureLiveWheel(page, fairlead, session, url);
    const rest = await measureRest(page, 5);
    const missing = countMissing(wheel, await expectedRows(fairlead, session));
    const heap = await readHeap(page);
    await page.setViewportSize({ width: 1440, height: 40_000 });
    await measureOpening(page, url, last - 20);
    const control = await measureIdle(page);
    const drift = Math.max(rest, ...wheel.drifts);
    const slowness = Math.max(1, percentile(idle.frames, 0.95) / frameTime);
    const opening = percentile(wallOf(openings), 0.5);
    return {
      measured:
        `newest rows ${describe(openings)}, of a session of 200 events ${describe(shortOpenings)}; jumps ${describe(jumps)}, ` +
        `longest ${Math.max(...wallOf(jumps)).toFixed(0)} ms, the bare read of such a page p50 ${percentile(reads, 0.5).toFixed(0)} ms; ` +
        `wheel: ${describeFrames(wheel)}; the same page idle: ${describeFrames(idle)}, bounds × ${slowness.toFixed(1)}; ${wheel.drifts.length} turns of the wheel, ` +
        `rows moved ≤ ${drift.toFixed(1)} px, ${missing} of ${wheel.rows.length} missing, ${wheel.doubled} doubled; heap ${heap.toFixed(0)} MB, ` +
        `${wheel.nodes} elements; control: ${control.nodes} elements; ${describeMachine()}`,
      holds:
        opening <= bounds.opening * slowness &&
        Math.max(...wallOf(jumps)) <= bounds.jump * slowness &&
        percentile(wheel.frames, 0.95) <= bounds.frame * slowness &&
        Math.max(0, ...wheel.longTasks) <= bounds.task * slowness &&
        wheel.drifts.length >= wheelSeconds / 3 &&
        drift <= bounds.drift &&
        missing + wheel.doubled === 0 &&
        heap <= bounds.heap &&
        wheel.nodes <= bounds.nodes &&
        control.nodes > bounds.nodes,
    };
  },
};

/** Milliseconds between the frames of a screen at 60 Hz. */
const frameTime = 1000 / 60;

const wallOf = (measured: readonly Measured[]): number[] => measured.map(({ wall }) => wall);

function describe(measured: readonly Measured[]): string {
  const cpu = percentile(
    measured.map((one) => one.cpu),
    0.5,
  );
  return `p50 ${percentile(wallOf(measured), 0.5).toFixed(0)} ms (${cpu.toFixed(0)} ms of the page's CPU)`;
}

/** Writes a session in turns of at most 2,000 events. */
async function writeSession(fairlead: Fairlead, workspace: string, events: number): Promise<string> {
  const { session } = await fairlead.start({ agent: "scripted", workspace, mode: "full-auto" });
  for (let written = 0; written < events; written += 2000) {
    const { turn } = await fairlead.send(session, JSON.stringify({ events: Math.min(2000, events), rate: 0 }));
    const { last } = await fairlead.session(session);
    for await (const arrival of fairlead.events(session, { after: Math.max(0, last - 1), follow: true })) {
      if ("body" in arrival && arrival.body.type === "turn.ended" && arrival.body.turn === turn) break;
    }
  }
  return session;
}

/** Turns the wheel while the agent writes 30 events a second, with deltas. */
async function measureLiveWheel(page: Page, fairlead: Fairlead, session: string, url: string): Promise<WheelResult> {
  await fairlead.send(session, JSON.stringify({ events: wheelSeconds * 40, rate: 30 }));
  const { last } = await fairlead.session(session);
  await measureOpening(page, url, last - 20);
  return await measureWheel(page, wheelSeconds);
}

async function measureIdle(page: Page): ReturnType<typeof takeReport> {
  await takeReport(page);
  await page.waitForTimeout(3000);
  return await takeReport(page);
}

/** The numbers of the rows that the journal makes, by the page's own fold over all events. */
async function expectedRows(fairlead: Fairlead, session: string): Promise<readonly number[]> {
  let window = emptyWindow(0);
  // Each addition copies the list of pages, so events are added in batches.
  let batch: ReadEvent[] = [];
  const add = (): void => {
    window = withArrivals(window, batch);
    batch = [];
  };
  for await (const event of fairlead.events(session)) {
    if ("body" in event) batch.push(event);
    if (batch.length === 5000) add();
  }
  add();
  return listRows(window).parts.flatMap((rows) => rows.map(({ first }) => first));
}

/** The rows between the first and the last one seen that were never on the page. */
function countMissing({ rows }: WheelResult, expected: readonly number[]): number {
  const seen = new Set(rows);
  const [from, to] = [Math.min(...rows), Math.max(...rows)];
  return expected.filter((number) => number >= from && number <= to && !seen.has(number)).length;
}
