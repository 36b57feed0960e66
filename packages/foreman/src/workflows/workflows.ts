/** A value that survives `JSON.stringify` and `JSON.parse`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How a run of a workflow ended. */
export type WorkflowResult =
  | { readonly state: "completed"; readonly output: Json }
  /** The body threw. `canceled` is set if it threw because the run was canceled. */
  | { readonly state: "failed"; readonly message: string; readonly canceled: boolean };

/** What a step may use. */
export interface StepContext {
  /** Names the step among all steps of all runs: the run and the name. The same after a crash. Commands take it as their key. */
  readonly key: string;
  /** Aborts when this process no longer runs the workflow: it closes, or another one has taken the run. */
  readonly signal: AbortSignal;
}

/**
 * What the body of a workflow may use. A body is a sequence: it awaits each call before the next one, so that every engine
 * repeats it in the same order. Work that runs at the same time is in children. Everything that it reads or changes outside,
 * also the time, is in a step.
 */
export interface WorkflowContext {
  readonly run: string;
  /**
   * Runs a step until it returns or throws an error that is not transient, and stores the result. After a crash, a step
   * without a stored result runs again with the same key: it acts only through keyed commands, and things that it finds
   * before it makes them. The name is unique in the run.
   */
  step<T extends Json>(name: string, run: (step: StepContext) => Promise<T>): Promise<T>;
  /**
   * Waits until the run is signaled with this key, or until a time in milliseconds since 1970. A signal before the wait
   * counts. A signal only wakes: what was decided is read from the journal, in a step.
   */
  wait(key: string, deadline: number | null): Promise<"signaled" | "timed-out">;
  /** Waits, also through restarts. */
  sleep(name: string, milliseconds: number): Promise<void>;
  /**
   * Starts another run, unless there is one with this id. It is not a child of this run alone: several bodies may start and
   * await the same one. Canceling this run cancels it.
   */
  child(workflow: string, run: string, input: Json): Promise<ChildRun>;
}

export interface ChildRun {
  /** Waits until the run has ended. */
  result(): Promise<WorkflowResult>;
}

export type WorkflowBody = (context: WorkflowContext, input: Json) => Promise<Json>;

/** The bodies by name. */
export type WorkflowBodies = Readonly<Record<string, WorkflowBody>>;

/**
 * Runs workflows durably. Ids of runs have at most 120 letters, digits, dots, dashes and `_`.
 *
 * Cancellation: the call that the body awaits at that time throws `WorkflowCanceled`, and so do the calls of its open
 * children. Calls after that work as usual, so that the body can clean up. A step that is running is completed first.
 */
export interface Workflows extends AsyncDisposable {
  /** Starts a run. Does nothing if there is one with this id. */
  start(workflow: string, run: string, input: Json): Promise<void>;
  /** Wakes a run that waits for this key, or will. Does nothing if the run has ended. Throws `session-not-found` if there is none. */
  signal(run: string, key: string): Promise<void>;
  /** Waits until a run has ended. Throws `session-not-found` if there is none. */
  result(run: string, signal?: AbortSignal): Promise<WorkflowResult>;
  /** Cancels a run. Does nothing if it has ended or was canceled. Throws `session-not-found` if there is none. */
  cancel(run: string): Promise<void>;
}

/** Thrown into the body of a canceled run, once. */
export class WorkflowCanceled extends Error {
  override readonly name = "WorkflowCanceled";
  constructor() {
    super("The run was canceled.");
  }
}

/** Thrown into the body when a step failed for good. Its message is stored. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}
