import { FairleadError } from "@fairlead/contract";
import { SpoolDamaged } from "@fairlead/keeper";
import { isOwnerAlive } from "./owner.ts";
import { commandRejected } from "../actor/command-rejected.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "./session.ts";

/** Number of sessions that are attached at the same time. Attaching mostly waits for sockets and disks. */
const maxConcurrentAttaches = 16;

/** The result of attaching to the sessions that a process left running. */
export interface RecoveryReport {
  readonly sessions: number;
  readonly failures: readonly { readonly session: string; readonly error: unknown }[];
}

/**
 * The sessions that this process drives, each attached once. A session that ends, or that another process takes over, is
 * removed; the next `get` attaches again. Disposing releases all sessions and stops none.
 */
export class Sessions implements AsyncDisposable {
  readonly #runtime: Runtime;
  readonly #attaching = new Map<string, Promise<Session>>();
  readonly #driven = new Map<string, Session>();
  #recovering: Promise<RecoveryReport> | null = null;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Returns the session if this process drives it now. */
  getIfDriven(id: string): Session | undefined {
    return this.#driven.get(id);
  }

  /** Resolves when it is known whether this process drives a session. After a restart, it may still be attaching. */
  async waitUntilSettled(id: string): Promise<void> {
    await this.#recovering;
    await this.#attaching.get(id)?.catch(() => {});
  }

  /** Whether no process drives the session or is attaching to it. `owner` is the process that drove it last. */
  isLost(id: string, owner: string): boolean {
    if (this.#driven.has(id) || this.#attaching.has(id) || this.#recovering !== null) return false;
    return owner === this.#runtime.owner || !isOwnerAlive(owner);
  }

  /** Returns the session with this id, and attaches to it if needed. Throws `session-ended` if it has ended. */
  async get(id: string): Promise<Session> {
    return this.#driven.get(id) ?? (await this.#attachOnce(id, () => this.#attach(id)));
  }

  /** Adds a session that was just started. */
  async adopt(starting: Promise<Session>): Promise<Session> {
    return this.#add(await starting);
  }

  /**
   * Attaches to every session that was left running, so that it continues without a client: answers by mode, alarms,
   * queued messages. Skips sessions that another running process drives.
   */
  recover(): Promise<RecoveryReport> {
    this.#recovering ??= this.#recover().finally(() => (this.#recovering = null));
    return this.#recovering;
  }

  /**
   * Repeats an action that was started before a crash. An action that was completed is not executed again, even if the
   * session has ended since. Throws `indeterminate` if the record of the action is gone.
   */
  async retryWithSession<Result>(id: string, action: (session: Session) => Promise<Result>): Promise<Result> {
    try {
      if (!this.#runtime.catalog.hasSpool(id)) throw new SpoolDamaged("spool", 0, "it is gone");
      if ((await this.#runtime.catalog.readNewestEvent(id)).body.type !== "session.ended")
        return await this.withSession(id, action);
      await using session = await this.#runtime.attach(id);
      return await action(session);
    } catch (error) {
      if (!(error instanceof SpoolDamaged)) throw error;
      const message = `Whether the command was executed is unknown, because the spool of session ${id} is damaged or gone.`;
      throw new FairleadError("indeterminate", message, { cause: error });
    }
  }

  /**
   * Runs an action on a session, and takes it over if another process drives it. If its keeper exits meanwhile, as the
   * keeper of a paused session does, this attaches again and repeats the action. The action must therefore be idempotent.
   */
  async withSession<Result>(id: string, action: (session: Session) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const session = await this.get(id);
      try {
        return await action(session);
      } catch (error) {
        if (!session.isFinished || isFinalRejection(error) || attempt === 3) throw error;
        await session.finished;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#attaching.values());
    await Promise.all([...this.#driven.values()].map((session) => session[Symbol.asyncDispose]()));
  }

  async #recover(): Promise<RecoveryReport> {
    const failures: { session: string; error: unknown }[] = [];
    let sessions = 0;
    await forEachConcurrently(
      maxConcurrentAttaches,
      this.#runtime.catalog.listUnfinished(),
      async ({ session, owner }) => {
        if (this.#driven.has(session) || isOwnerAlive(owner)) return;
        try {
          await this.get(session);
          sessions += 1;
        } catch (error) {
          failures.push({ session, error });
        }
      },
    );
    return { sessions, failures };
  }

  #attachOnce(id: string, attach: () => Promise<Session>): Promise<Session> {
    const existing = this.#attaching.get(id);
    if (existing !== undefined) return existing;
    const attaching = attach().finally(() => this.#attaching.delete(id));
    this.#attaching.set(id, attaching);
    return attaching;
  }

  async #attach(id: string): Promise<Session> {
    const newest = await this.#runtime.catalog.readNewestEvent(id);
    if (newest.body.type === "session.ended") throw commandRejected("session-ended");
    if (!this.#runtime.catalog.hasSpool(id)) {
      throw new FairleadError("unavailable", `Session ${id} cannot be attached, because its spool is gone.`);
    }
    const session = this.#add(await this.#runtime.attach(id));
    // The process that started the session may have been killed before it sent `open`. A second `open` has no effect.
    if (session.state.launchedAt === 0 && !session.state.ledger.over) await session.open();
    return session;
  }

  #add(session: Session): Session {
    this.#driven.set(session.id, session);
    void session.finished.then(() => {
      if (this.#driven.get(session.id) === session) this.#driven.delete(session.id);
    });
    return session;
  }
}

/** Whether repeating the action would give the same error. */
function isFinalRejection(error: unknown): boolean {
  return FairleadError.isInstance(error) && error.code !== "unavailable" && error.code !== "fenced";
}

/** Runs a task for each item, with a limit on concurrent tasks. Rejects with the first error. */
async function forEachConcurrently<Item>(
  concurrency: number,
  items: AsyncIterable<Item>,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const worker = async (): Promise<void> => {
    for (let result = await iterator.next(); !result.done; result = await iterator.next()) await task(result.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
