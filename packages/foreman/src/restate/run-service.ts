import {
  handlers,
  TerminalError,
  workflow,
  type WorkflowContext as RestateContext,
  type WorkflowSharedContext,
} from "@restatedev/restate-sdk";
import type { Json, WorkflowBodies, WorkflowResult } from "../workflows/workflows.ts";
import { WorkflowCanceled } from "../workflows/workflows.ts";
import { RestateRun } from "./restate-run.ts";
import { promiseNames, serviceName, type BodyRequest, type SignalRequest } from "./service-names.ts";

export interface RunServiceOptions {
  readonly bodies: WorkflowBodies;
  readonly isTransient: (error: unknown) => boolean;
  /** Aborts when this process closes. */
  readonly closing: AbortSignal;
}

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

/** Defines the service that the server calls. One run of a workflow is one Restate workflow with the run's id as its key. */
export function createRunService({ bodies, isTransient, closing }: RunServiceOptions) {
  return workflow({
    name: serviceName,
    handlers: {
      run: async (context: RestateContext, { workflow: name, input }: BodyRequest): Promise<WorkflowResult> => {
        const body = Object.hasOwn(bodies, name) ? bodies[name] : undefined;
        // Not terminal: another version of Fairlead behind the same address may have it.
        if (body === undefined) throw new Error(`There is no workflow ${name}.`);
        const result = await runBody(() => body(new RestateRun({ context, bodies, isTransient, closing }), input));
        await resolveOnce(context, promiseNames.result, result);
        return result;
      },
      // A server's ingress takes calls of anyone who reaches it. A signal therefore only wakes a run.
      signal: handlers.workflow.shared(async (context: WorkflowSharedContext, { key, at }: SignalRequest) => {
        await resolveOnce(context, promiseNames.signal(key), at);
      }),
      cancel: handlers.workflow.shared(async (context: WorkflowSharedContext) => {
        await resolveOnce(context, promiseNames.cancel, true);
      }),
      result: handlers.workflow.shared(
        async (context: WorkflowSharedContext): Promise<WorkflowResult> =>
          await context.promise<WorkflowResult>(promiseNames.result),
      ),
    },
    options: {
      // A step may take hours. The server asks a quiet run to suspend, and only this ends one that is inside a step.
      inactivityTimeout: hour,
      abortTimeout: 30 * day,
      // Until then the id of an ended run is taken, and its result can be read.
      workflowRetention: 90 * day,
      journalRetention: 7 * day,
      // Without a number of attempts, the server would pause the runs of a process that is down for an hour.
      retryPolicy: {
        initialInterval: 0.1 * second,
        exponentiationFactor: 2,
        maxInterval: 10 * second,
        maxAttempts: 2 ** 31 - 1,
      },
    },
  });
}

/** An error of the body is a result. If it were thrown, the server would run the body again. */
async function runBody(body: () => Promise<Json>): Promise<WorkflowResult> {
  try {
    return { state: "completed", output: (await body()) ?? null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { state: "failed", message, canceled: error instanceof WorkflowCanceled };
  }
}

/** Resolves a durable promise, unless it is resolved. */
async function resolveOnce(context: WorkflowSharedContext, name: string, value: unknown): Promise<void> {
  if ((await context.promise(name).peek()) !== undefined) return;
  try {
    await context.promise(name).resolve(value);
  } catch (error) {
    // Another call has resolved it since.
    if (!(error instanceof TerminalError)) throw error;
  }
}
