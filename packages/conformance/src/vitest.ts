import { availableParallelism } from "node:os";
import type { Adapter } from "@fairlead/contract";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { objections, type KnownFailures } from "./known-failures.ts";
import { readRecordings } from "./read-recordings.ts";
import { recite } from "./recitals.ts";
import { report } from "./report.ts";
import type { OpenStage } from "./stage.ts";

const minutes = 60_000;
/** An agent mostly waits; but more of them at a time than there are cores would only wait for each other. */
const lanes = Math.max(1, Math.min(4, availableParallelism()));

/** Judges an adapter on its recordings: a test for each. */
export function judgeRecordings(adapter: Adapter, folder: URL): void {
  for (const recital of readRecordings(folder)) {
    test(`${adapter.manifest.id}: ${recital.name}`, () => {
      const broken = recite(adapter, recital).filter((finding) => finding.broken !== null);
      expect(broken).toEqual([]);
    });
  }
}

/** Judges an adapter on the real program: one test, which prints what became of every clause. */
export function judgeProgram(adapter: Adapter, openStage: OpenStage, folder: URL, known: KnownFailures = {}): void {
  test(`${adapter.manifest.id} keeps the contract on its real program`, { timeout: 15 * minutes }, async () => {
    const verdicts = await judge(adapter, openStage, { recordings: readRecordings(folder), lanes });
    console.log(`${adapter.manifest.id}\n${report(verdicts)}`);
    expect(objections(verdicts, known)).toEqual([]);
  });
}
