import type { Json } from "../workflows/workflows.ts";
import type { CallOutcome, RunRecord } from "./run-records.ts";

/** What the log of a run says about the calls of its body. */
export interface RunHistory {
  readonly workflow: string;
  readonly input: Json;
  readonly outcomes: ReadonlyMap<string, CallOutcome>;
  /** When the sleeps end that have begun. */
  readonly sleepEnds: ReadonlyMap<string, number>;
  /** Whether a call has got the cancellation. No other call gets it. */
  readonly wasCanceled: boolean;
}

/** Folds the records of a run; undefined if it has not started. */
export function foldRecords(records: readonly RunRecord[]): RunHistory | undefined {
  const [start] = records;
  if (start?.type !== "started") return undefined;
  const outcomes = new Map<string, CallOutcome>();
  const sleepEnds = new Map<string, number>();
  for (const record of records) {
    if (record.type === "sleeping") sleepEnds.set(record.call, record.until);
    if (record.type === "called") outcomes.set(record.call, record.outcome);
  }
  const wasCanceled = [...outcomes.values()].some(({ state }) => state === "canceled");
  return { workflow: start.workflow, input: start.input, outcomes, sleepEnds, wasCanceled };
}
