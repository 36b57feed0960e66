/** The calls of one body. It refuses what would make a repetition of the body differ from the first time. */
export class BodyCalls {
  readonly #counts = new Map<string, number>();
  #open: string | null = null;

  /**
   * Runs a call. Throws if another one is open, since engines repeat calls in order, or if the name of a step or a sleep
   * was used before. A key may be awaited several times, and a child may be started several times: their calls are numbered.
   */
  async run<Result>(
    kind: "step" | "sleep" | "wait" | "child" | "result",
    name: string,
    perform: (call: string) => Promise<Result>,
  ): Promise<Result> {
    if (this.#open !== null) {
      throw new Error(`The workflow called ${kind} ${name} before ${this.#open} returned. It must await each call.`);
    }
    const base = `${kind} ${name}`;
    const count = (this.#counts.get(base) ?? 0) + 1;
    if (count > 1 && (kind === "step" || kind === "sleep")) {
      throw new Error(`The workflow used the name ${name} for two calls of ${kind}. Names must be unique in a run.`);
    }
    this.#counts.set(base, count);
    const call = count === 1 ? base : `${base} (${count})`;
    this.#open = call;
    try {
      return await perform(call);
    } finally {
      this.#open = null;
    }
  }
}
