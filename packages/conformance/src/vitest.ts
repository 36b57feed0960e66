import { availableParallelism } from "node:os";
import type { Adapter } from "@fairlead/contract";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { findUnexpectedVerdicts, type KnownFailures } from "./known-failures.ts";
import { readRecordings } from "./read-recordings.ts";
import { runReplayChecks } from "./replay-checks.ts";
import { formatVerdicts } from "./format-verdicts.ts";
import type { OpenTestBench } from "./test-bench.ts";

const minutes = 60_000;
/** Agents mostly wait, but more of them than cores would wait for each other and reach timeouts. */
const concurrency = Math.max(1, Math.min(4, availableParallelism()));

/** Declares one test per recording, which runs the replay checks on it. */
export function judgeRecordings(adapter: Adapter, folder: URL): void {
  for (const recording of readRecordings(folder)) {
    test(`${adapter.manifest.id}: ${recording.name}`, () => {
      const failedFindings = runReplayChecks(adapter, recording).filter((finding) => finding.problem !== null);
      expect(failedFindings).toEqual([]);
    });
  }
}

/** Declares one test that judges the adapter on its real program and prints the verdict for every clause. */
export function judgeProgram(
  adapter: Adapter,
  openBench: OpenTestBench,
  folder: URL,
  knownFailures: KnownFailures = {},
): void {
  test(`${adapter.manifest.id} keeps the contract on its real program`, { timeout: 15 * minutes }, async () => {
    const verdicts = await judge(adapter, openBench, { recordings: readRecordings(folder), concurrency });
    console.log(`${adapter.manifest.id}\n${formatVerdicts(verdicts)}`);
    expect(findUnexpectedVerdicts(verdicts, knownFailures)).toEqual([]);
  });
}
