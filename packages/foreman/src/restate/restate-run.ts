import {
  RestatePromise,
  serde,
  TerminalError,
  type Serde,
  type WorkflowContext as RestateContext,
} from "@restatedev/restate-sdk";
import { BodyCalls } from "../workflows/body-calls.ts";
import { unknownWorkflow } from "../workflows/run-id.ts";
import { stepRetryDelay } from "../workflows/transient-error.ts";
import { systemWorkflowClock } from "../workflows/workflow-clock.ts";
import {
  StepFailed,
  WorkflowCanceled,
  type ChildRun,
  type Json,
  type StepContext,
  type WorkflowBodies,
  type WorkflowContext,
  type WorkflowResult,
} from "../workflows/workflows.ts";
import { promiseNames, serviceName, type BodyRequest } from "./service-names.ts";

export interface RestateRunOptions {
  readonly context: RestateContext;
  readonly bodies: WorkflowBodies;
  readonly isTransient: (error: unknown) => boolean;
  readonly closing: AbortSignal;
}

/** The type of the SDK's own serializer does not fit the type of its options. */
const json = serde.json as Serde<unknown>;

type StepOutcome =
  | { readonly value: Json }
  | { readonly failed: string }
  /** The step was repeated when the run was canceled. */
  | { readonly canceled: true };

/** The context of a body whose calls the server stores. */
export class RestateRun implements WorkflowContext {
  readonly run: string;
  readonly #options: RestateRunOptions;
  readonly #context: RestateContext;
  readonly #calls = new BodyCalls();
  readonly #children = new Set<string>();
  /** One promise for all calls: the server stores each that is made. */
  readonly #cancel: RestatePromise<"canceled">;
  #wasCanceled = false;

  constructor(options: RestateRunOptions) {
    this.#options = options;
    this.#context = options.context;
    this.run = options.context.key;
    this.#cancel = options.context
      .promise<boolean>(promiseNames.cancel)
      .get()
      .map(() => "canceled" as const);
  }

  async step<T extends Json>(name: string, run: (step: StepContext) => Promise<T>): Promise<T> {
    return await this.#calls.run("step", name, async () => {
      const canceled = new AbortController();
      const done = this.#context.run(name, () => this.#attempt(name, run, canceled.signal));
      // The step is completed in any case. If the cancellation comes first, children need not wait for that.
      const isCanceled = (await this.#orCanceled(done.map(() => null))) === "canceled";
      if (isCanceled) {
        canceled.abort();
        this.#cancelChildren();
      }
      const outcome = await done;
      if (isCanceled) throw new WorkflowCanceled();
      if ("failed" in outcome) throw new StepFailed(outcome.failed);
      if ("canceled" in outcome) throw new WorkflowCanceled();
      return outcome.value as T;
    });
  }

  async wait(key: string, deadline: number | null): Promise<"signaled" | "timed-out"> {
    return await this.#calls.run("wait", key, async () => {
      const signal = this.#context.promise<number>(promiseNames.signal(key));
      if (deadline === null) {
        await this.#throwIfCanceled(signal.get().map(() => null));
        return "signaled";
      }
      const remaining = deadline - (await this.#context.date.now());
      // The time of the signal counts: it may have come while no process ran this body.
      const decide = (at?: number) => (at !== undefined && at <= deadline ? "signaled" : "timed-out");
      if (remaining <= 0) return decide(await signal.peek());
      const timeout = this.#context.sleep(remaining).map(() => "timed-out" as const);
      return await this.#throwIfCanceled(RestatePromise.race([signal.get().map(decide), timeout]));
    });
  }

  async sleep(name: string, milliseconds: number): Promise<void> {
    await this.#calls.run("sleep", name, async () => {
      await this.#throwIfCanceled(this.#context.sleep(milliseconds, name).map(() => null));
    });
  }

  async child(workflow: string, run: string, input: Json): Promise<ChildRun> {
    await this.#calls.run("child", run, async () => {
      if (!Object.hasOwn(this.#options.bodies, workflow)) throw new StepFailed(unknownWorkflow(workflow).message);
      this.#children.add(run);
      const parameter: BodyRequest = { workflow, input };
      await this.#context.genericSend({ ...handlerOf(run, "run"), parameter, inputSerde: json }).invocationId;
    });
    return { result: () => this.#awaitChild(run) };
  }

  async #awaitChild(run: string): Promise<WorkflowResult> {
    return await this.#calls.run("result", run, async () => {
      const call = { ...handlerOf(run, "result"), parameter: new Uint8Array(), outputSerde: json };
      const result = this.#context.genericCall(call) as RestatePromise<WorkflowResult>;
      return await this.#throwIfCanceled(result);
    });
  }

  /** Runs a step until it returns, fails for good, or is canceled between two attempts. What it returns is stored. */
  async #attempt<T extends Json>(
    name: string,
    run: (step: StepContext) => Promise<T>,
    canceled: AbortSignal,
  ): Promise<StepOutcome> {
    const { closing, isTransient } = this.#options;
    const signal = AbortSignal.any([closing, this.#context.request().attemptCompletedSignal]);
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        return { value: toJson(await run({ key: `${this.run}:${name}`, signal })) };
      } catch (error) {
        // The server calls another process, which runs the step again.
        signal.throwIfAborted();
        if (!isTransient(error)) return { failed: error instanceof Error ? error.message : String(error) };
      }
      await systemWorkflowClock.sleep(stepRetryDelay(attempt), AbortSignal.any([signal, canceled]));
      if (canceled.aborted) return { canceled: true };
    }
  }

  async #throwIfCanceled<Value>(promise: RestatePromise<Value>): Promise<Value> {
    const first = await this.#orCanceled(promise);
    if (first !== "canceled") return first;
    this.#cancelChildren();
    throw new WorkflowCanceled();
  }

  /** A cancellation is delivered to one call. The server's own cancellation counts as one. */
  async #orCanceled<Value>(promise: RestatePromise<Value>): Promise<Value | "canceled"> {
    try {
      const first = await (this.#wasCanceled ? promise : RestatePromise.race([promise, this.#cancel]));
      if (first === "canceled") this.#wasCanceled = true;
      return first;
    } catch (error) {
      if (!(error instanceof TerminalError) || error.code !== 409) throw error;
      this.#wasCanceled = true;
      return "canceled";
    }
  }

  #cancelChildren(): void {
    for (const child of this.#children) {
      this.#context.genericSend({ ...handlerOf(child, "cancel"), parameter: new Uint8Array() });
    }
  }
}

function handlerOf(run: string, method: string): { service: string; method: string; key: string } {
  return { service: serviceName, method, key: run };
}

/** The value as a repetition of the body will get it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? "null") as Json;
}
