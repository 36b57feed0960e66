import { FairleadError } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { NameHolder, SessionIndex } from "@fairlead/journal";
import type { SessionProjections } from "../../projection/session-projections.ts";
import type { SessionCatalog } from "../session-catalog.ts";
import type { SessionDirectory } from "../session-directory.ts";

export interface NameReservationsOptions {
  readonly index: Pick<SessionIndex, "take" | "release">;
  readonly projections: Pick<SessionProjections, "waitUntilComplete">;
  readonly catalog: Pick<SessionCatalog, "has">;
  readonly directory: Pick<SessionDirectory, "findOpenByName" | "summary">;
  readonly hosts: Pick<Hosts, "isAlive">;
  /** Identifies this process in the journal. */
  readonly owner: string;
}

/** A name that a session has taken. Disposing returns the name, unless the session was started. */
export interface NameReservation extends AsyncDisposable {
  keep(): void;
}

/** Prevents that two open sessions have the same name, also if two processes start them at the same time. */
export class NameReservations {
  readonly #options: NameReservationsOptions;
  /** The sessions that this process is starting with a name. */
  readonly #starting = new Set<string>();

  constructor(options: NameReservationsOptions) {
    this.#options = options;
  }

  /** Whether a session may have the name now. */
  async isFree(name: string, session = ""): Promise<boolean> {
    try {
      await this.#assertFree(name, session);
      return true;
    } catch (error) {
      if (FairleadError.is(error, "conflict")) return false;
      throw error;
    }
  }

  /** Reserves a name for a session that is about to be started. Throws `conflict` if another open session has it. */
  async reserve(name: string | undefined, session: string): Promise<NameReservation> {
    if (name === undefined) return { keep: () => {}, [Symbol.asyncDispose]: async () => {} };
    await this.#assertFree(name, session);
    this.#starting.add(session);
    await using resources = new AsyncDisposableStack();
    resources.defer(() => void this.#starting.delete(session));
    await this.#take(name, session);
    let isKept = false;
    resources.defer(async () => {
      // Must not throw: the caller would get this error, and not the one that made the start fail. The name can be taken
      // all the same, because this process no longer starts the session (`#isHeld`).
      if (!isKept) await this.#options.index.release(name, session).catch(() => {});
    });
    const owned = resources.move();
    return { keep: () => (isKept = true), [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  /** Takes the name by compare-and-set, so that one of several processes gets it. */
  async #take(name: string, session: string): Promise<void> {
    const { index, owner } = this.#options;
    const holder = { session, owner };
    let replaces: string | undefined;
    for (;;) {
      const current = await index.take(name, holder, replaces);
      if (current.session === session) return;
      if (await this.#isHeld(name, current)) throw nameTaken(name, "a session that is being started");
      replaces = current.session;
    }
  }

  /** Whether the holder's session is open, or its process is starting it. */
  async #isHeld(name: string, { session, owner }: NameHolder): Promise<boolean> {
    if (await this.#options.catalog.has(session)) return await this.#isOpen(name, session);
    if (owner === this.#options.owner) return this.#starting.has(session);
    return await this.#options.hosts.isAlive(owner);
  }

  async #isOpen(name: string, session: string): Promise<boolean> {
    const summary = await this.#options.directory.summary(session);
    return summary.name === name && !["ended", "lost", "damaged"].includes(summary.state);
  }

  async #assertFree(name: string, ownSession: string): Promise<void> {
    const { catalog, directory, projections } = this.#options;
    // `find` looks for an id before a name, so a session with this name could not be found.
    if (await catalog.has(name))
      throw new FairleadError(
        "conflict",
        `The name "${name}" is taken: it is the id of a session. Choose another name.`,
      );
    await projections.waitUntilComplete();
    for (const session of await directory.findOpenByName(name)) {
      if (session !== ownSession && (await this.#isOpen(name, session)))
        throw nameTaken(name, `session ${session}, which has not ended,`);
    }
  }
}

function nameTaken(name: string, holder: string): FairleadError {
  const message = `The name "${name}" is taken: ${holder} has it. Choose another name, or stop that session first.`;
  return new FairleadError("conflict", message);
}
