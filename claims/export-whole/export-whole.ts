import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AgentEvent, exportJsonLines, exportMarkdown, type Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { decodeEvents, encodeEvents } from "../../packages/runtime/src/actor/stored-events.ts";
import { countChecked, findMissing } from "./expected-content.ts";
import { findForgery } from "./find-forgery.ts";
import { createRareSession } from "./generated-session.ts";
import { makeHostile } from "./hostile-events.ts";
import { noQuoting, parseMarkdown } from "./markdown-structure.ts";
import { readRecordedSessions, type RecordedSession } from "./recorded-sessions.ts";
import { render } from "./render.ts";

const minRecorded = 100;
const hostileRounds = 3;
const [fewCalls, manyCalls] = [50, 5000];

/** What was found in one session. */
interface Finding {
  readonly isWhole: boolean;
  readonly isEqualAsJson: boolean;
  /** How many of the hostile copies had a part that a text forged, or lacked one. */
  readonly forged: number;
  /** How many of the same copies have forged headings without the quoting. */
  readonly forgedWithoutQuoting: number;
  /** Whether the check finds that a call, or a message where there is no call, is missing. `none`: there is neither. */
  readonly omission: "found" | "not found" | "none";
}

export const exportWhole: Claim = {
  id: "export-whole",
  statement: "An export of a session has every message, call and decision, and no text in it can forge a section.",
  bound: `≥ ${minRecorded} recorded sessions, read back from a journal: Markdown and JSON lines whole and in order; hostile text in every field: a Markdown parser and a reader find exactly the headings and lines that Fairlead wrote; 100 times the calls: ≤ 1.5 times the memory; controls: without the quoting, every copy is forged; with an event left out, every session is found`,
  async prove() {
    const recorded = readRecordedSessions();
    const sessions = [...recorded, { name: "generated", events: createRareSession() }];
    const random = SeededRandom.fromEnvironment();
    const findings: Finding[] = [];
    for await (const session of throughJournal(sessions)) findings.push(await inspect(session, random));
    const [small, large] = [await measureExport(fewCalls), await measureExport(manyCalls)];
    const count = (isCounted: (finding: Finding) => boolean): number => findings.filter(isCounted).length;
    const sum = (read: (finding: Finding) => number): number => findings.reduce((total, one) => total + read(one), 0);
    const { messages, texts, calls, decisions } = countChecked(sessions.flatMap(({ events }) => events));
    const types = new Set(sessions.flatMap(({ events }) => events.map(({ body }) => body.type)));
    const copies = findings.length * hostileRounds;
    const [whole, equal, found, notFound] = [
      count(({ isWhole }) => isWhole),
      count(({ isEqualAsJson }) => isEqualAsJson),
      count(({ omission }) => omission === "found"),
      count(({ omission }) => omission === "not found"),
    ];
    const [forged, controls] = [sum((one) => one.forged), sum((one) => one.forgedWithoutQuoting)];
    return {
      measured: [
        `${recorded.length} recorded and 1 generated session with ${messages} messages, ${texts} texts, ${calls} calls, ${decisions} decisions (${types.size} of ${AgentEvent.options.length} types of events)`,
        `Markdown whole and in order ${whole}, JSON lines equal ${equal}`,
        `${copies} hostile copies (seed ${random.seed}): ${forged} forged`,
        `controls: ${controls} of ${copies} forged without the quoting, an event left out is found in ${found} of ${found + notFound} sessions`,
        `memory of ${fewCalls} calls ${toMegabytes(small.most)}, of ${manyCalls} calls (${toMegabytes(large.characters)} of Markdown) ${toMegabytes(large.most)}`,
      ].join("; "),
      holds:
        recorded.length >= minRecorded &&
        whole === findings.length &&
        equal === findings.length &&
        forged === 0 &&
        controls === copies &&
        found >= minRecorded &&
        notFound === 0 &&
        large.most <= 1.5 * small.most,
    };
  },
};

/** Writes sessions to a journal on disk and yields each with the events that a reader of the journal gets. */
async function* throughJournal(
  sessions: readonly RecordedSession[],
): AsyncGenerator<RecordedSession & { readonly read: () => AsyncIterable<Event> }> {
  const folder = mkdtempSync(join(tmpdir(), "export-"));
  try {
    await using journal = await openSqliteLog({ file: join(folder, "journal.db") });
    for (const [at, { name, events }] of sessions.entries()) {
      const session = `session-${at}`;
      const { epoch, fence } = await journal.claim(session, "owner");
      await journal.append({ session, epoch, first: 1, events: encodeEvents(events), owner: "owner" }, fence);
      yield { name, events, read: () => decodeEvents(journal.read(session, 0)) };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inspect(
  { events, read }: RecordedSession & { readonly read: () => AsyncIterable<Event> },
  random: SeededRandom,
): Promise<Finding> {
  const markdown = (await Array.fromAsync(exportMarkdown(read))).join("");
  const lines = await Array.fromAsync(exportJsonLines(read()));
  let [forged, forgedWithoutQuoting] = [0, 0];
  for (let round = 0; round < hostileRounds; round += 1) {
    const hostile = makeHostile(events, random);
    const isComplete = findMissing(hostile, parseMarkdown(await render(hostile))) === null;
    if (!isComplete || (await findForgery(hostile)) !== null) forged += 1;
    if ((await findForgery(hostile, noQuoting))?.startsWith("headings: ")) forgedWithoutQuoting += 1;
  }
  const omitted =
    events.find(({ body }) => body.type === "tool.requested") ??
    events.find(({ body }) => body.type === "turn.started");
  const withoutOne = parseMarkdown(await render(events.filter((event) => event !== omitted)));
  return {
    isWhole: findMissing(events, parseMarkdown(markdown)) === null,
    isEqualAsJson: isDeepStrictEqual(
      lines.map((line): unknown => JSON.parse(line)),
      events,
    ),
    forged,
    forgedWithoutQuoting,
    omission: omitted === undefined ? "none" : findMissing(events, withoutOne) === null ? "not found" : "found",
  };
}

async function measureExport(calls: number): Promise<{ readonly characters: number; readonly most: number }> {
  const { code, output } = await runQuietly("node", [
    "--expose-gc",
    "claims/export-whole/export-memory.ts",
    `${calls}`,
  ]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output) as { characters: number; most: number };
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
