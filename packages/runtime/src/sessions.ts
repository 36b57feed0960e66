import { FairleadError } from "@fairlead/contract";
import { SpoolDamaged } from "@fairlead/keeper";
import { eachAtOnce } from "./each-at-once.ts";
import { isOwnerAlive } from "./owner.ts";
import { refused } from "./refused.ts";
import type { Runtime } from "./runtime.ts";
import type { Session } from "./session.ts";

/** How many sessions are attached to at once: most of that is waiting, for sockets and disks. */
const atOnce = 16;

/** What became of the sessions that somebody had left running. */
export interface Recovered {
  readonly sessions: number;
  readonly failures: readonly { readonly session: string; readonly error: unknown }[];
}

/**
 * All sessions that this process drives, each once. One that comes to its end, or that another process takes over, is
 * forgotten; whoever asks for it next has it attached to anew. Disposing lets go of all and stops none.
 */
export class Sessions implements AsyncDisposable {
  readonly #runtime: Runtime;
  readonly #arriving = new Map<string, Promise<Session>>();
  readonly #driven = new Map<string, Session>();
  #recovering: Promise<Recovered> | null = null;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The session, if this process drives it now. */
  driven(id: string): Session | undefined {
    return this.#driven.get(id);
  }

  /** Resolves when it is known whether this process drives a session: one may be on its way, after a restart. */
  async settled(id: string): Promise<void> {
    await this.#recovering;
    await this.#arriving.get(id)?.catch(() => {});
  }

  /** Whether nobody drives it, nor is about to, though it has not ended. `owner` is who drove it last. */
  isLost(id: string, owner: string): boolean {
    if (this.#driven.has(id) || this.#arriving.has(id) || this.#recovering !== null) return false;
    return owner === this.#runtime.owner || !isOwnerAlive(owner);
  }

  /** The one session of that id, attached to at need. Throws `session-ended` when there is nothing left to drive. */
  async get(id: string): Promise<Session> {
    return this.#driven.get(id) ?? (await this.#arrival(id, () => this.#attach(id)));
  }

  /** Takes care of a session that was just started. */
  async adopt(starting: Promise<Session>): Promise<Session> {
    return this.#keep(await starting);
  }

  /**
   * Attaches to every session that was left running, so that what it waits for goes on with nobody looking: answers by
   * mode, alarms, messages that are queued. What another living process drives is left to that.
   */
  recover(): Promise<Recovered> {
    this.#recovering ??= this.#recover().finally(() => (this.#recovering = null));
    return this.#recovering;
  }

  /**
   * Has something done again that was begun before a crash: what is found to have been done is not done twice, even if
   * the session has ended since. Throws `indeterminate` when what was wished for is no longer on record.
   */
  async actAgain<Result>(id: string, ask: (session: Session) => Promise<Result>): Promise<Result> {
    try {
      if (!this.#runtime.catalogue.hasSpool(id)) throw new SpoolDamaged("spool", 0, "it is gone");
      if ((await this.#runtime.catalogue.newest(id)).body.type !== "session.ended") return await this.act(id, ask);
      await using session = await this.#runtime.attach(id);
      return await ask(session);
    } catch (error) {
      if (!(error instanceof SpoolDamaged)) throw error;
      const message = `Nobody can know any more whether it was done: the record of session ${id} is damaged or gone.`;
      throw new FairleadError("indeterminate", message, { cause: error });
    }
  }

  /**
   * Has something done by a session, whoever drives it now. Should its keeper leave just then, as that of a paused one
   * does, it is attached to and asked again: what is asked must be one however often it is asked.
   */
  async act<Result>(id: string, ask: (session: Session) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      const session = await this.get(id);
      try {
        return await ask(session);
      } catch (error) {
        if (!session.isLetGo || isRefusal(error) || tries === 3) throw error;
        await session.finished;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#arriving.values());
    await Promise.all([...this.#driven.values()].map((session) => session[Symbol.asyncDispose]()));
  }

  async #recover(): Promise<Recovered> {
    const failures: { session: string; error: unknown }[] = [];
    let sessions = 0;
    await eachAtOnce(atOnce, this.#runtime.catalogue.unfinished(), async ({ session, owner }) => {
      if (this.#driven.has(session) || isOwnerAlive(owner)) return;
      try {
        await this.get(session);
        sessions += 1;
      } catch (error) {
        failures.push({ session, error });
      }
    });
    return { sessions, failures };
  }

  #arrival(id: string, arrive: () => Promise<Session>): Promise<Session> {
    const joined = this.#arriving.get(id);
    if (joined !== undefined) return joined;
    const arriving = arrive().finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return arriving;
  }

  async #attach(id: string): Promise<Session> {
    const newest = await this.#runtime.catalogue.newest(id);
    if (newest.body.type === "session.ended") throw refused("session-ended");
    if (!this.#runtime.catalogue.hasSpool(id)) {
      throw new FairleadError("unavailable", `The record of session ${id} is gone; it cannot be driven any more.`);
    }
    const session = this.#keep(await this.#runtime.attach(id));
    // Whoever started it may have been killed before it could say so; said twice, it is said once.
    if (session.state.launchedAt === 0 && !session.state.ledger.over) await session.open();
    return session;
  }

  #keep(session: Session): Session {
    this.#driven.set(session.id, session);
    void session.finished.then(() => {
      if (this.#driven.get(session.id) === session) this.#driven.delete(session.id);
    });
    return session;
  }
}

/** Whether it is an answer: then asking again would give the same one. */
function isRefusal(error: unknown): boolean {
  return FairleadError.isInstance(error) && error.code !== "unavailable" && error.code !== "fenced";
}
