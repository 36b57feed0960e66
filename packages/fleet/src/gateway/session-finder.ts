import { FairleadError } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { SessionDirectory, type SessionSummary } from "@fairlead/runtime";
import type { FleetIndex } from "./fleet-index.ts";
import { hasSession, removeRowIfForgotten } from "./known-sessions.ts";

/** Finds sessions of a fleet by what people type. */
export class SessionFinder {
  readonly #engine: Pick<Engine, "log" | "index">;
  readonly #directory: SessionDirectory;

  constructor(engine: Pick<Engine, "log" | "index">, index: FleetIndex) {
    this.#engine = engine;
    const has = async (session: string): Promise<boolean> => await hasSession(engine, session);
    const addSpool = (summary: SessionSummary): Promise<SessionSummary> => Promise.resolve(summary);
    this.#directory = new SessionDirectory({ has, addSpool }, index);
  }

  /** Returns the id of a session that is named by its id, its name or the beginning of its id. */
  async find(session: unknown): Promise<string> {
    if (typeof session !== "string") throw new FairleadError("invalid-request", "The session is not a string.");
    if (await hasSession(this.#engine, session)) return session;
    for (;;) {
      const found = await this.#directory.find(session);
      if (!(await removeRowIfForgotten(this.#engine, found))) return found;
    }
  }
}
