import { isOwnerAlive, OwnerRegistration } from "@fairlead/engine";
import { openSqliteLog } from "@fairlead/journal";
import { isTransientStepError } from "../workflows/transient-error.ts";
import { systemWorkflowClock, type WorkflowClock } from "../workflows/workflow-clock.ts";
import type { WorkflowBodies, Workflows } from "../workflows/workflows.ts";
import { LocalWorkflows } from "./local-workflows.ts";

export interface LocalWorkflowsOptions {
  /** The log of all runs. Any number of processes may open it, and each run is run by one of them. */
  readonly file: string;
  readonly bodies: WorkflowBodies;
  /** Identifies this engine as the owner of runs. By default this process. */
  readonly owner?: string;
  /** Whether the owner of a run still runs it. Runs of others are taken over. */
  readonly isOwnerAlive?: (owner: string) => boolean;
  readonly clock?: WorkflowClock;
  /** Whether a step is repeated after this error. By default after `unavailable` and `timed-out`. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Receives what keeps this engine from continuing a run, for example damage of its log. */
  readonly onError?: (error: unknown, run: string) => void;
}

/** Opens the workflow engine of one machine. It continues all runs that have not ended and whose owner is dead. */
export async function openLocalWorkflows(options: LocalWorkflowsOptions): Promise<Workflows> {
  await using stack = new AsyncDisposableStack();
  const log = stack.use(await openSqliteLog({ file: options.file }));
  const owner = options.owner ?? stack.use(new OwnerRegistration()).owner;
  const engine = new LocalWorkflows({
    log,
    owner,
    bodies: options.bodies,
    isOwnerAlive: options.isOwnerAlive ?? isOwnerAlive,
    clock: options.clock ?? systemWorkflowClock,
    isTransient: options.isTransient ?? isTransientStepError,
    onError: options.onError ?? (() => {}),
    close: () => resources.disposeAsync(),
  });
  const resources = stack.move();
  await engine.continueAbandonedRuns();
  return engine;
}
