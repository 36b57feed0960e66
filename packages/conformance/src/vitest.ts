import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter, ClauseId } from "@fairlead/contract";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { findUnexpectedVerdicts, type KnownFailures } from "./known-failures.ts";
import { readRecordings } from "./read-recordings.ts";
import { runReplayChecks } from "./replay-checks.ts";
import { isRecordable, saveRecording } from "./save-recording.ts";
import { formatVerdicts } from "./format-verdicts.ts";
import type { OpenTestBench } from "./test-bench.ts";

const minutes = 60_000;
/** Agents mostly wait, but more of them than cores would wait for each other and reach timeouts. */
const concurrency = Math.max(1, Math.min(4, availableParallelism()));

/**
 * Declares one test per recording, which runs the replay checks on it. Declares a skipped test if there is no recording
 * yet. With vitest's option `--update` all are skipped, because `judgeProgram` replaces the recordings.
 */
export function judgeRecordings(adapter: Adapter, folder: URL): void {
  const { id } = adapter.manifest;
  const recordings = readRecordings(folder);
  if (recordings.length === 0) test.skip(`${id}: ${explainNoRecordings(folder)}`, () => {});
  for (const recording of recordings) {
    test(`${id}: ${recording.name}`, ({ skip }) => {
      // After an intended change of the dialect the old recordings differ, and the update must not fail for it.
      skip(isUpdating(), "The recordings are being replaced.");
      const failedFindings = runReplayChecks(adapter, recording).filter((finding) => finding.problem !== null);
      expect(failedFindings).toEqual([]);
    });
  }
}

/**
 * Declares one test that judges the adapter on its real program and prints the verdict for every clause. With vitest's
 * option `--update` it replaces the recordings, as vitest replaces snapshots, except those of scenarios that broke a clause.
 */
export function judgeProgram(
  adapter: Adapter,
  openBench: OpenTestBench,
  folder: URL,
  knownFailures: KnownFailures = {},
): void {
  const { id } = adapter.manifest;
  test(`${id} keeps the contract on its real program`, { timeout: 15 * minutes }, async () => {
    const isRecording = isUpdating();
    // The old recordings do not count while they are being replaced.
    const recordings = isRecording ? [] : readRecordings(folder);
    const recorded: string[] = [];
    const notRecorded: string[] = [];
    const verdicts = await judge(adapter, openBench, {
      recordings,
      concurrency,
      onScenario(name, findings, run) {
        if (!isRecording || run === undefined) return;
        if (!isRecordable(findings, knownFailures)) notRecorded.push(name);
        else if (saveRecording(name, run, folder)) recorded.push(name);
      },
    });
    console.log(`${id}\n${formatVerdicts(verdicts)}`);
    // Only recordings can show this clause, and the first run of a new adapter has none.
    const clauseOfRecordings: ClauseId = "dialect:steady";
    if (isRecording) console.log(`${id}: wrote ${recorded.length} recordings to ${fileURLToPath(folder)}.`);
    else if (recordings.length === 0)
      console.log(`${clauseOfRecordings} is not judged: ${explainNoRecordings(folder)}`);
    if (notRecorded.length > 0)
      console.log(`${id}: not recorded, because a clause is broken: ${notRecorded.toSorted().join(", ")}.`);
    const judged = verdicts.filter(({ clause }) => recordings.length > 0 || clause !== clauseOfRecordings);
    expect(findUnexpectedVerdicts(judged, knownFailures)).toEqual([]);
  });
}

/** Whether vitest runs with `--update`. Only known while a test runs. */
function isUpdating(): boolean {
  return expect.getState().snapshotState.snapshotUpdateState === "all";
}

function explainNoRecordings(folder: URL): string {
  return `there are no recordings in ${basename(fileURLToPath(folder))}/ yet. Write them with: npx vitest run --update`;
}
