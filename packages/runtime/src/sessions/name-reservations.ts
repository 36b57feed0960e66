import { FairleadError } from "@fairlead/contract";
import type { SessionCatalog } from "./session-catalog.ts";

/**
 * Prevents that this process starts two open sessions with the same name. Two processes that start a session at the same
 * time may both get the name. That is acceptable: names are for people, and only ids identify sessions.
 */
export class NameReservations {
  readonly #catalog: SessionCatalog;
  readonly #reserved = new Set<string>();

  constructor(catalog: SessionCatalog) {
    this.#catalog = catalog;
  }

  /** Whether a session may have the name now. */
  async isFree(name: string, session?: string): Promise<boolean> {
    try {
      using _ = await this.reserve(name, session);
      return true;
    } catch (error) {
      if (FairleadError.is(error, "conflict")) return false;
      throw error;
    }
  }

  /** Reserves a name until its session is in the journal. Throws `conflict` if another open session has the name. */
  async reserve(name: string | undefined, session?: string): Promise<Disposable> {
    if (name === undefined) return { [Symbol.dispose]: () => {} };
    if (this.#reserved.has(name)) throw nameTaken(name, "a session that is being started");
    this.#reserved.add(name);
    const reservation = { [Symbol.dispose]: () => void this.#reserved.delete(name) };
    try {
      await this.#assertFree(name, session);
      return reservation;
    } catch (error) {
      reservation[Symbol.dispose]();
      throw error;
    }
  }

  async #assertFree(name: string, ownSession: string | undefined): Promise<void> {
    // `find` looks for an id before a name, so a session with this name could not be found.
    if (await this.#catalog.has(name))
      throw new FairleadError(
        "conflict",
        `The name "${name}" is taken: it is the id of a session. Choose another name.`,
      );
    for await (const { session, state } of this.#catalog.findByName(name)) {
      if (session !== ownSession && !["ended", "lost", "damaged"].includes(state))
        throw nameTaken(name, `session ${session}, which has not ended,`);
    }
  }
}

function nameTaken(name: string, holder: string): FairleadError {
  const message = `The name "${name}" is taken: ${holder} has it. Choose another name, or stop that session first.`;
  return new FairleadError("conflict", message);
}
