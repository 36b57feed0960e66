import type { Json } from "../workflows/workflows.ts";

/** The name under which the server knows the runs. Runs that are open in a server refer to it. */
export const serviceName = "FairleadRun";

export interface BodyRequest {
  readonly workflow: string;
  readonly input: Json;
}

export interface SignalRequest {
  readonly key: string;
  /** The sender's time in milliseconds since 1970. */
  readonly at: number;
}

/** The names of the durable promises of a run. */
export const promiseNames = { cancel: "cancel", result: "result", signal: (key: string) => `signal ${key}` };
