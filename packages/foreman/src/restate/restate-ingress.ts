import { FairleadError } from "@fairlead/contract";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between two attempts. */
const retryDelay = 200;

export interface IngressRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal;
  /** The milliseconds after which a server that cannot be reached is an error; null to try until the signal aborts. */
  readonly timeout: number | null;
}

export interface IngressAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The addresses at which the nodes of a server take calls. */
export class RestateIngress {
  readonly #addresses: readonly string[];
  #next = 0;

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
  }

  /**
   * Sends a request that may be sent twice. Tries the next node if one cannot be reached, cannot answer now, or does not
   * know the service yet: nodes learn of a registration one after the other.
   */
  async send(request: IngressRequest): Promise<IngressAnswer> {
    const end = request.timeout === null ? Infinity : performance.now() + request.timeout;
    for (;;) {
      const answer = await this.#attempt(request);
      if ("status" in answer) return answer;
      request.signal.throwIfAborted();
      if (performance.now() >= end) {
        throw new FairleadError("unavailable", `Restate does not answer: ${answer.problem}`);
      }
      this.#next += 1;
      await delay(retryDelay, undefined, { signal: request.signal }).catch(() => {});
      request.signal.throwIfAborted();
    }
  }

  async #attempt({
    method,
    path,
    body,
    signal,
  }: IngressRequest): Promise<IngressAnswer | { readonly problem: string }> {
    const address = this.#addresses[this.#next % this.#addresses.length];
    try {
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${address}${path}`, { method, headers, signal, ...text });
      const answer = await response.text();
      if (response.status >= 500 && response.status !== 501) return { problem: `${response.status} ${answer}` };
      if (response.status === 404 && answer.includes("make sure to register the service")) return { problem: answer };
      return { status: response.status, body: answer === "" ? null : (JSON.parse(answer) as unknown) };
    } catch (error) {
      return { problem: error instanceof Error ? messageOf(error) : String(error) };
    }
  }
}

/** `fetch` says only that it failed. Its cause says why. */
function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
