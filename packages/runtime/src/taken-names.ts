import { FairleadError } from "@fairlead/contract";
import type { Catalogue } from "./catalogue.ts";

/**
 * Sees to it that no two living sessions have the same name, as far as this process starts them. Two processes that
 * start one at the same instant may both be granted it: a name is for people, and it is the id that counts.
 */
export class TakenNames {
  readonly #catalogue: Catalogue;
  readonly #reserved = new Set<string>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Holds a name until its session stands in the journal; `conflict` if another than this one has it. */
  async reserve(name: string | undefined, session?: string): Promise<Disposable> {
    if (name === undefined) return { [Symbol.dispose]: () => {} };
    if (this.#reserved.has(name)) throw taken(name, "a session that is just being started");
    this.#reserved.add(name);
    const held = { [Symbol.dispose]: () => void this.#reserved.delete(name) };
    try {
      await this.#refuseIfTaken(name, session);
      return held;
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  async #refuseIfTaken(name: string, own: string | undefined): Promise<void> {
    // An id would be found before a name.
    if (await this.#catalogue.knows(name))
      throw new FairleadError("conflict", `"${name}" is the id of a session; choose another name.`);
    for await (const { session, state } of this.#catalogue.named(name)) {
      if (session !== own && state !== "ended" && state !== "lost")
        throw taken(name, `session ${session}, which has not ended`);
    }
  }
}

function taken(name: string, by: string): FairleadError {
  return new FairleadError("conflict", `"${name}" is the name of ${by}; choose another, or stop that one first.`);
}
