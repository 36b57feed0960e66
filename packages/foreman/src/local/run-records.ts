import { FairleadError } from "@fairlead/contract";
import type { EventBatch, Journal } from "@fairlead/journal";
import type { Json, WorkflowResult } from "../workflows/workflows.ts";

/** How a call of a body ended. It is stored before the body gets it, so that a repetition of the body gets the same. */
export type CallOutcome =
  | { readonly state: "returned"; readonly value: Json }
  | { readonly state: "failed"; readonly message: string }
  | { readonly state: "canceled" };

/** What the log of a run has. Only the owner of the run writes to it. */
export type RunRecord =
  | { readonly type: "started"; readonly workflow: string; readonly input: Json; readonly at: number }
  /** A sleep began. Its end is fixed now, so that a restart does not prolong it. */
  | { readonly type: "sleeping"; readonly call: string; readonly until: number }
  | { readonly type: "called"; readonly call: string; readonly outcome: CallOutcome }
  | { readonly type: "ended"; readonly result: WorkflowResult; readonly at: number };

/**
 * What the inbox of a run has. Signals have a log of their own: an append to the run's log would fence its owner, which is
 * right for a claim only. With an inbox, any process may signal, and the owner's fence means one thing.
 */
export type InboxRecord =
  | { readonly type: "signal"; readonly key: string; readonly at: number }
  | { readonly type: "cancel"; readonly at: number }
  /** Another process has claimed the run. It tells the owner before, which may be inside a step for hours. */
  | { readonly type: "claimed"; readonly epoch: number };

export const runLogName = (run: string): string => `run/${run}`;
export const inboxName = (run: string): string => `inbox/${run}`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeWorkflowRecord(record: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(record));
}

export function decodeWorkflowRecords(batch: EventBatch): unknown[] {
  try {
    return batch.events.map((bytes) => JSON.parse(decoder.decode(bytes)) as unknown);
  } catch (cause) {
    throw new FairleadError("corrupt", `A record of ${batch.session} cannot be read.`, { cause });
  }
}

/** Reads the records of a log after a sequence. */
export async function readWorkflowRecords(log: Journal, name: string, after: number): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const batch of log.read(name, after)) records.push(...decodeWorkflowRecords(batch));
  return records;
}

/** Reads the newest record of a run; undefined if there is no run with this id. */
export async function readNewestRecord(log: Journal, run: string): Promise<RunRecord | undefined> {
  const { last } = await log.tail(runLogName(run));
  if (last === 0) return undefined;
  return (await readWorkflowRecords(log, runLogName(run), last - 1)).at(-1) as RunRecord | undefined;
}
