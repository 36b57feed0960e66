/** Interrupts what pages see, and compares them with the journals: `node outages.ts KIND ROUNDS`. Prints one line of JSON. */
import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { FrozenPages, takePause } from "./freeze-pages.ts";
import { compareInbox, compareSessions, compareTimeline, takeFreshness } from "./read-pages.ts";
import { Truth } from "./truth.ts";
import { TruthBench } from "./truth-bench.ts";
import { Work } from "./work.ts";

/** `sleep`: the tabs are frozen, and the network has forgotten their connections when they are thawed. */
export type OutageKind = "kill" | "drop" | "blackhole" | "freeze" | "sleep" | "control";

export interface OutageResult {
  readonly kind: OutageKind;
  readonly rounds: number;
  /** When the last page was equal, in milliseconds after the service answered again; null if none was within `giveUpAfter`. */
  readonly times: readonly (number | null)[];
  /** In how many rounds all pages said meanwhile that they are not current. */
  readonly stale: number;
  /** By how much a frozen page stood still for less time than it was frozen, in milliseconds; null if none was frozen. */
  readonly missedPause: number | null;
  readonly differences: readonly string[];
  readonly problems: readonly string[];
}

const giveUpAfter = 10_000;
const kind = process.argv[2] as OutageKind;
const rounds = Number(process.argv[3]);

await using bench = await TruthBench.open();
const truth = new Truth(bench.fairlead);
const work = new Work(bench.fairlead, truth, bench.testHome.workspace());
await work.prepare();
const opened = await Promise.all(["/", `/s/${work.main}`, "/inbox"].map((path) => bench.openPage(path)));
const pages = opened.map(({ page }) => page);
const [list, timeline, inbox] = pages as [Page, Page, Page];
if (kind === "control") await timeline.evaluate("window.WebSocket = class extends EventTarget { close() {} }");

const compare = async (): Promise<string | null> => {
  if (!(await work.isDone())) return "the journals lack what the agents have done";
  const differences = await Promise.all([
    compareSessions(list, truth, work.sessions),
    compareTimeline(timeline, truth, work.main),
    compareInbox(inbox, truth, work.sessions),
  ]);
  const at = differences.findIndex((difference) => difference !== null);
  return at === -1 ? null : `${["sessions", "timeline", "inbox"][at]}: ${differences[at]}`;
};

/** Waits until all pages are equal, and returns how long that took; null if they were not in time. */
async function untilEqual(since: number): Promise<{ time: number | null; difference: string | null }> {
  for (;;) {
    const startedAt = performance.now();
    const difference = await compare();
    if (difference === null) return { time: startedAt - since, difference };
    if (startedAt - since > giveUpAfter) return { time: null, difference };
    await wait(20);
  }
}

const times: (number | null)[] = [];
let missedPause: number | null = null;

/** Cuts the pages off, changes sessions meanwhile, and returns when the service answered again. */
async function interrupt(round: number): Promise<number> {
  switch (kind) {
    case "kill":
    case "control": {
      await work.begin(round);
      await wait((round % 5) * 100);
      await bench.killDaemon();
      await wait(3000 + (round % 4) * 1000);
      const starting = bench.startDaemon();
      const answeredAt = await bench.untilAnswered();
      await starting;
      return answeredAt;
    }
    case "drop":
    case "blackhole":
      bench.proxy.cut(kind);
      await work.begin(round);
      await wait(4000 + (round % 5) * 1000);
      bench.proxy.restore();
      return await bench.untilAnswered();
    case "freeze":
    case "sleep": {
      let thawedAt = 0;
      for (const page of pages) await takePause(page);
      const frozen = await FrozenPages.freeze(list);
      const frozenAt = performance.now();
      try {
        if (kind === "sleep") bench.proxy.cut("blackhole");
        await work.begin(round);
        await wait(3000 + (round % 5) * 1000);
      } finally {
        bench.proxy.restore();
        thawedAt = frozen.thaw();
      }
      const pauses = await Promise.all(pages.map((page) => takePause(page)));
      const missed = thawedAt - frozenAt - Math.min(...pauses);
      missedPause = Math.max(missedPause ?? missed, missed);
      return thawedAt;
    }
    default:
      return kind satisfies never;
  }
}

const differences: string[] = [];
let stale = 0;
for (let round = 1; round <= rounds; round++) {
  const before = await untilEqual(performance.now());
  if (before.difference !== null && kind !== "control") differences.push(`before round ${round}: ${before.difference}`);
  for (const page of pages) await takeFreshness(page);
  const since = await interrupt(round);
  const said = await Promise.all(pages.map((page) => takeFreshness(page)));
  if (said.every((states) => states.includes("stale"))) stale += 1;
  const { time, difference } = await untilEqual(since);
  times.push(time === null ? null : Math.round(time));
  if (difference !== null) differences.push(`round ${round}: ${difference}`);
  if (process.env["VERBOSE"] !== undefined) console.error(round, time, said, difference);
}
const isExpected = (text: string): boolean => /Failed to load resource|WebSocket connection|ERR_/.test(text);
const problems = opened.flatMap((one) => one.problems).filter((text) => !isExpected(text));
const result: OutageResult = { kind, rounds, times, stale, missedPause, differences, problems };
console.log(JSON.stringify(result));
