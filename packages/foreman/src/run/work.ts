import { RunOutcome } from "@fairlead/api";
import { z } from "zod";
import { StepFailed, type Json, type WorkflowResult } from "../workflows/workflows.ts";
import { RunEnded } from "./run-ended.ts";

/** What a part of a run made, or why it made nothing. It is the output of a child workflow. */
export const Work = z.object({
  outcome: RunOutcome,
  reason: z.string(),
  /** The state that the part ended with. */
  commit: z.string().nullable(),
  tree: z.string().nullable(),
  /** The session whose clone has that state; null for states that Fairlead merged. */
  session: z.string().nullable(),
  /** The last event of that session which was considered. */
  last: z.number(),
});
export type Work = z.infer<typeof Work>;

export const noWork = (outcome: RunOutcome, reason: string): Work => ({
  outcome,
  reason,
  commit: null,
  tree: null,
  session: null,
  last: 0,
});

/** Runs a part. What ends it is its outcome, so that the run can say which part ended it and why. */
export async function toWork(part: () => Promise<Work>): Promise<Work> {
  try {
    return await part();
  } catch (error) {
    if (error instanceof RunEnded) return noWork(error.outcome, error.message);
    if (error instanceof StepFailed) return noWork("failed", error.message);
    throw error;
  }
}

/** Reads the output of a child. Throws how it ended if it made nothing that can be used. */
export function requireWork(result: WorkflowResult): Work & { readonly commit: string; readonly tree: string } {
  if (result.state === "failed") throw new RunEnded(result.canceled ? "canceled" : "failed", result.message);
  const work = Work.parse(result.output);
  const { commit, tree, outcome, reason } = work;
  if ((outcome === "done" || outcome === "no-op") && commit !== null && tree !== null) return { ...work, commit, tree };
  throw new RunEnded(outcome, reason);
}

export const asJson = (value: unknown): Json => value as Json;
