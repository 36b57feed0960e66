/** Runs actions one after another if they have the same key. */
export class KeyedMutex {
  readonly #newest = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, action: () => Promise<Result>): Promise<Result> {
    const result = (this.#newest.get(key) ?? Promise.resolve()).then(action);
    const settled = result.catch(() => {}); // a failed action does not keep the next one from running
    this.#newest.set(key, settled);
    try {
      return await result;
    } finally {
      if (this.#newest.get(key) === settled) this.#newest.delete(key);
    }
  }
}
