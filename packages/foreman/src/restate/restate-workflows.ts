import { FairleadError } from "@fairlead/contract";
import { assertRunId, unknownRun, unknownWorkflow } from "../workflows/run-id.ts";
import type { Json, WorkflowBodies, WorkflowResult, Workflows } from "../workflows/workflows.ts";
import type { IngressAnswer, RestateIngress } from "./restate-ingress.ts";
import { serviceName, type BodyRequest, type SignalRequest } from "./service-names.ts";

export interface RestateWorkflowsParts {
  readonly ingress: RestateIngress;
  readonly bodies: WorkflowBodies;
  /** Aborted when the engine closes. */
  readonly closing: AbortController;
  /** Closes the endpoint. */
  readonly close: () => Promise<void>;
}

/** How long a server may be unreachable before a call fails, in milliseconds. */
const callTimeout = 30_000;

/** Runs workflows on a Restate server, which calls the bodies in this process. */
export class RestateWorkflows implements Workflows {
  readonly #parts: RestateWorkflowsParts;

  constructor(parts: RestateWorkflowsParts) {
    this.#parts = parts;
  }

  async start(workflow: string, run: string, input: Json): Promise<void> {
    assertRunId(run);
    if (!Object.hasOwn(this.#parts.bodies, workflow)) throw unknownWorkflow(workflow);
    const request: BodyRequest = { workflow, input };
    assertAccepted(await this.#send("POST", `/${serviceName}/${run}/run/send`, request));
  }

  async signal(run: string, key: string): Promise<void> {
    const request: SignalRequest = { key, at: Date.now() };
    if (await this.#isOpen(run)) assertAccepted(await this.#send("POST", `/${serviceName}/${run}/signal`, request));
  }

  async cancel(run: string): Promise<void> {
    if (await this.#isOpen(run)) assertAccepted(await this.#send("POST", `/${serviceName}/${run}/cancel`));
  }

  async result(run: string, signal?: AbortSignal): Promise<WorkflowResult> {
    assertRunId(run);
    const closing = this.#parts.closing.signal;
    const answer = await this.#parts.ingress.send({
      method: "GET",
      path: `/restate/workflow/${serviceName}/${run}/attach`,
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      timeout: null,
    });
    if (answer.status === 404) throw unknownRun(run);
    assertAccepted(answer);
    return answer.body as WorkflowResult;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#parts.closing.signal.aborted) return;
    this.#parts.closing.abort(new FairleadError("unavailable", "The workflow engine is closed."));
    await this.#parts.close();
  }

  /** Whether a run has not ended. Asked first: the server takes signals for runs that were never started. */
  async #isOpen(run: string): Promise<boolean> {
    assertRunId(run);
    const answer = await this.#send("GET", `/restate/workflow/${serviceName}/${run}/output`);
    if (answer.status === 404) throw unknownRun(run);
    return answer.status === notReady;
  }

  async #send(method: "GET" | "POST", path: string, body?: unknown): Promise<IngressAnswer> {
    const { ingress, closing } = this.#parts;
    return await ingress.send({ method, path, body, signal: closing.signal, timeout: callTimeout });
  }
}

/** The server's status for a run that has not ended. */
const notReady = 470;

function assertAccepted({ status, body }: IngressAnswer): void {
  if (status < 300) return;
  throw new FairleadError("unavailable", `Restate refused the call: ${status} ${JSON.stringify(body)}`);
}
