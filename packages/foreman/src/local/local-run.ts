import { FairleadError } from "@fairlead/contract";
import { BodyCalls } from "../workflows/body-calls.ts";
import { stepRetryDelay } from "../workflows/transient-error.ts";
import type { WorkflowClock } from "../workflows/workflow-clock.ts";
import {
  StepFailed,
  WorkflowCanceled,
  type ChildRun,
  type Json,
  type StepContext,
  type WorkflowBody,
  type WorkflowContext,
  type WorkflowResult,
} from "../workflows/workflows.ts";
import { abortable } from "./abortable.ts";
import type { RunHistory } from "./run-history.ts";
import type { RunInbox } from "./run-inbox.ts";
import type { OwnedRunLog } from "./owned-run-log.ts";
import type { CallOutcome, RunRecord } from "./run-records.ts";

/** What a run needs of the engine for its children. */
export interface ChildRuns {
  start(workflow: string, run: string, input: Json): Promise<void>;
  result(run: string, signal: AbortSignal): Promise<WorkflowResult>;
  cancel(run: string): Promise<void>;
}

export interface LocalRunOptions {
  readonly run: string;
  readonly body: WorkflowBody;
  readonly history: RunHistory;
  readonly log: OwnedRunLog;
  readonly inbox: RunInbox;
  readonly children: ChildRuns;
  readonly clock: WorkflowClock;
  readonly isTransient: (error: unknown) => boolean;
}

const canceled: CallOutcome = { state: "canceled" };

/** Runs the body of one run in this process: calls with a stored outcome return it, the others are performed. */
export class LocalRun implements WorkflowContext {
  readonly run: string;
  readonly #options: LocalRunOptions;
  readonly #calls = new BodyCalls();
  /** The children that the body has started so far. A repetition of the body fills it again. */
  readonly #children = new Set<string>();
  readonly #stop = new AbortController();
  readonly #finished = Promise.withResolvers<WorkflowResult | undefined>();
  #wasCanceled: boolean;

  constructor(options: LocalRunOptions) {
    this.#options = options;
    this.run = options.run;
    this.#wasCanceled = options.history.wasCanceled;
  }

  /** Resolves when the run has ended, or with undefined when this process no longer runs it. */
  get finished(): Promise<WorkflowResult | undefined> {
    return this.#finished.promise;
  }

  /** Leaves the run to the next owner: the step's signal aborts, and nothing more is written. */
  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Runs until the body has ended or the run is stopped. Throws what stopped it, unless that was `stop`. */
  async drive(): Promise<void> {
    const watching = this.#watchInbox();
    try {
      const result = await abortable(this.#runBody(), this.#stop.signal);
      await this.#write({ type: "ended", result, at: this.#options.clock.now() });
      this.#finished.resolve(result);
    } catch (error) {
      this.#stop.abort(new StoppedByError("The end of the run cannot be stored.", { cause: error }));
    }
    const reason: unknown = this.#stop.signal.reason;
    this.stop(new FairleadError("unavailable", `Run ${this.run} has ended.`));
    this.#finished.resolve(undefined);
    await watching;
    if (reason instanceof StoppedByError) throw reason.cause;
  }

  async step<T extends Json>(name: string, run: (step: StepContext) => Promise<T>): Promise<T> {
    return (await this.#call("step", name, () => this.#runStep(name, run))) as T;
  }

  async wait(key: string, deadline: number | null): Promise<"signaled" | "timed-out"> {
    const { inbox, clock } = this.#options;
    const value = await this.#call("wait", key, async () => {
      for (;;) {
        const at = inbox.signaledAt(key);
        // The time of the signal counts, not when it was read: this process may have started after the deadline.
        if (at !== undefined && at <= (deadline ?? Infinity)) return returned("signaled");
        const remaining = deadline === null ? null : deadline - clock.now();
        if (remaining !== null && remaining <= 0) return returned("timed-out");
        if (this.#isCancelDue) return canceled;
        await this.#pause(remaining);
      }
    });
    return value as "signaled" | "timed-out";
  }

  async sleep(name: string, milliseconds: number): Promise<void> {
    const { history, clock } = this.#options;
    await this.#call("sleep", name, async (call) => {
      let until = history.sleepEnds.get(call);
      if (until === undefined) {
        until = clock.now() + milliseconds;
        await this.#write({ type: "sleeping", call, until });
      }
      for (let remaining = until - clock.now(); remaining > 0; remaining = until - clock.now()) {
        if (this.#isCancelDue) return canceled;
        await this.#pause(remaining);
      }
      return returned(null);
    });
  }

  async child(workflow: string, run: string, input: Json): Promise<ChildRun> {
    const { children } = this.#options;
    // Before the call: if this process started the child and died before it stored the call, a cancellation on the second
    // attempt must find the child too.
    this.#children.add(run);
    await this.#call("child", run, async () => {
      try {
        await this.#whileAvailable(() => children.start(workflow, run, input));
        return returned(null);
      } catch (error) {
        if (!FairleadError.is(error, "invalid-request")) throw error;
        return { state: "failed", message: error.message };
      }
    });
    return { result: () => this.#awaitChild(run) };
  }

  async #awaitChild(run: string): Promise<WorkflowResult> {
    const { children, inbox } = this.#options;
    const value = await this.#call("result", run, async () => {
      const waiting = new AbortController();
      const result = abortable(children.result(run, waiting.signal), this.#stop.signal);
      try {
        const outcome = result.then((value) => returned(value));
        return await (this.#wasCanceled ? outcome : Promise.race([outcome, inbox.whenCanceled.then(() => canceled)]));
      } finally {
        waiting.abort();
      }
    });
    return value as unknown as WorkflowResult;
  }

  /** Returns the stored outcome of a call, or performs it and stores its outcome before the body gets it. */
  async #call(
    kind: Parameters<BodyCalls["run"]>[0],
    name: string,
    perform: (call: string) => Promise<CallOutcome>,
  ): Promise<Json> {
    return await this.#calls.run(kind, name, async (call) => {
      const outcome = this.#options.history.outcomes.get(call) ?? (await this.#performOrStop(call, perform));
      if (outcome.state === "canceled") throw new WorkflowCanceled();
      if (outcome.state === "failed") throw new StepFailed(outcome.message);
      return outcome.value;
    });
  }

  /** After an error of the log, or when the run was stopped, the call never returns: the body must do nothing more. */
  async #performOrStop(call: string, perform: (call: string) => Promise<CallOutcome>): Promise<CallOutcome> {
    try {
      this.#stop.signal.throwIfAborted();
      let outcome = this.#isCancelDue ? canceled : await perform(call);
      if (this.#isCancelDue) {
        outcome = canceled;
        await this.#cancelChildren();
        this.#wasCanceled = true;
      }
      await this.#write({ type: "called", call, outcome });
      return outcome;
    } catch (error) {
      this.#stop.abort(new StoppedByError("The run was stopped by an error.", { cause: error }));
      return await new Promise<never>(() => {});
    }
  }

  async #runStep<T extends Json>(name: string, run: (step: StepContext) => Promise<T>): Promise<CallOutcome> {
    const { signal } = this.#stop;
    const context = { key: `${this.run}:${name}`, signal };
    for (let attempt = 1; ; attempt++) {
      try {
        return returned(toJson(await abortable(run(context), signal)));
      } catch (error) {
        signal.throwIfAborted();
        if (!this.#options.isTransient(error)) return { state: "failed", message: messageOf(error) };
      }
      const end = this.#options.clock.now() + stepRetryDelay(attempt);
      for (let remaining = stepRetryDelay(attempt); remaining > 0; remaining = end - this.#options.clock.now()) {
        if (this.#isCancelDue) return canceled;
        await this.#pause(remaining);
      }
    }
  }

  /** A cancellation is delivered to one call. */
  get #isCancelDue(): boolean {
    return this.#options.inbox.isCanceled && !this.#wasCanceled;
  }

  async #cancelChildren(): Promise<void> {
    for (const child of this.#children) {
      try {
        await this.#whileAvailable(() => this.#options.children.cancel(child));
      } catch (error) {
        // The child was never started: the cancellation came first.
        if (!FairleadError.is(error, "session-not-found")) throw error;
      }
    }
  }

  /** Repeats an action that needs the log until the log is available. */
  async #whileAvailable(action: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await abortable(action(), this.#stop.signal);
      } catch (error) {
        if (!FairleadError.is(error, "unavailable")) throw error;
        await this.#pause(stepRetryDelay(1));
      }
    }
  }

  async #runBody(): Promise<WorkflowResult> {
    const { body, history } = this.#options;
    try {
      return { state: "completed", output: toJson(await body(this, history.input)) };
    } catch (error) {
      return { state: "failed", message: messageOf(error), canceled: error instanceof WorkflowCanceled };
    }
  }

  async #write(record: RunRecord): Promise<void> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    await this.#options.log.append(record, this.#options.clock, signal);
  }

  /** Waits for a time, for news in the inbox, or until the run is stopped. */
  async #pause(milliseconds: number | null): Promise<void> {
    const { inbox, clock } = this.#options;
    const over = new AbortController();
    const timer = milliseconds === null ? [] : [clock.sleep(milliseconds, over.signal)];
    try {
      await abortable(Promise.race([inbox.nextChange(), ...timer]), this.#stop.signal);
    } finally {
      over.abort();
    }
  }

  async #watchInbox(): Promise<void> {
    const { inbox, log, clock } = this.#options;
    // Children are canceled at once, also while this run completes a step. `#performOrStop` does it again, and waits for it.
    if (!this.#wasCanceled) void inbox.whenCanceled.then(() => this.#cancelChildren()).catch(() => {});
    try {
      const epoch = await inbox.watch(log.epoch, clock, this.#stop.signal);
      if (epoch !== undefined) this.stop(new FairleadError("fenced", `Another process runs ${this.run} now.`));
    } catch (cause) {
      this.#stop.abort(new StoppedByError("The run's inbox cannot be read.", { cause }));
    }
  }
}

/** Why a run stopped, if it was not told to. */
class StoppedByError extends Error {}

function returned(value: Json): CallOutcome {
  return { state: "returned", value };
}

/** The value as a repetition of the body will get it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? "null") as Json;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
