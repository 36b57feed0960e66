/** Calls that wait for a result. Each ends with the result, when its signal aborts, or when all are rejected. */
export class PendingCalls {
  readonly #rejections = new Set<(error: unknown) => void>();

  /** Returns the result of a promise, unless the signal aborts first: then it throws the signal's reason. */
  async wait<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    this.#rejections.add(reject);
    result.then(resolve, reject);
    try {
      return await promise;
    } finally {
      // A signal may live as long as the process. A listener that stayed would keep the call in memory.
      signal.removeEventListener("abort", abort);
      this.#rejections.delete(reject);
    }
  }

  rejectAll(error: unknown): void {
    for (const reject of this.#rejections) reject(error);
  }
}
