import { z } from "zod";
import { DecisionView } from "../views/decision.ts";
import { DiffStatistics, ReviewFinding, RunOutcome } from "./run-event.ts";

/** What one agent does in a run, or a group of acceptance commands. */
export const RunPartView = z.strictObject({
  kind: z.enum(["task", "join", "review"]),
  /** The id of the task; null for the others. */
  task: z.string().nullable(),
  agent: z.string(),
  vendor: z.string(),
  session: z.string(),
  /** What it does now: `building`, `testing`, `returned`, `reviewing`, or how it ended. */
  state: z.string(),
  since: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  changes: DiffStatistics.nullable(),
  usd: z.number().nullable(),
});
export type RunPartView = z.infer<typeof RunPartView>;

export const RunView = z.strictObject({
  run: z.string(),
  goal: z.string(),
  workspace: z.string(),
  base: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** Null while the run is open. */
  outcome: RunOutcome.nullable(),
  /** Why it ended, or what it waits for. */
  reason: z.string(),
  /** Tasks that have not started have no part yet. */
  waitingTasks: z.array(z.string()),
  parts: z.array(RunPartView),
  /** The last verdict. */
  verdict: z
    .strictObject({
      tree: z.string(),
      agent: z.string(),
      vendor: z.string(),
      verdict: z.enum(["approve", "changes"]),
      findings: z.array(ReviewFinding),
    })
    .nullable(),
  /** The decision that waits for a person. */
  decision: DecisionView.nullable(),
  /** The address of the request that was made. */
  request: z.string().nullable(),
  usd: z.number().nullable(),
});
export type RunView = z.infer<typeof RunView>;

/** Why a plan cannot be run, one sentence each. Empty if it can. */
export const RunCheck = z.strictObject({
  problems: z.array(z.string()),
  /** The agents that would do the work. Null where there is none. */
  roles: z.array(z.strictObject({ role: z.string(), agent: z.string().nullable(), vendor: z.string().nullable() })),
});
export type RunCheck = z.infer<typeof RunCheck>;

/** Selects a page of runs. */
export const RunListQuery = z.strictObject({
  /** The maximum number of runs on a page. Default: 50. */
  limit: z.coerce.number().pipe(z.int().min(1).max(500)).optional(),
  /** The `next` of the page before. */
  cursor: z.string().max(200).optional(),
});
export type RunListQuery = Readonly<z.infer<typeof RunListQuery>>;

/** A page of runs, newest activity first. A run that becomes active while a caller reads pages moves to the first one. */
export const RunPage = z.strictObject({
  runs: z.array(RunView),
  /** The `cursor` of the next page; null on the last page. */
  next: z.string().nullable(),
});
export type RunPage = z.infer<typeof RunPage>;
