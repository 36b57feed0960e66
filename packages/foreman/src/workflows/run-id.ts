import { FairleadError } from "@fairlead/contract";

/** Throws `invalid-request` unless a run may have this id. */
export function assertRunId(run: string): void {
  if (/^[A-Za-z0-9._-]{1,120}$/.test(run)) return;
  const rule = "It must have 1 to 120 letters, digits, dots, dashes and underscores.";
  throw new FairleadError("invalid-request", `${JSON.stringify(run.slice(0, 200))} cannot be the id of a run. ${rule}`);
}

/** The error for a run that no engine has started. */
export function unknownRun(run: string): FairleadError {
  return new FairleadError("session-not-found", `There is no run ${run}.`);
}

/** The error for a workflow that the engine has no body of. */
export function unknownWorkflow(workflow: string): FairleadError {
  return new FairleadError("invalid-request", `There is no workflow ${workflow}.`);
}
