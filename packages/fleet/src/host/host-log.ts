import type {
  Claim,
  EventBatch,
  Fence,
  Journal,
  LogChanges,
  LoggedSession,
  LogPosition,
  LogReadOptions,
  LogTail,
} from "@fairlead/journal";
import { randomUUID } from "node:crypto";
import { FairleadError } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";

export interface HostLogOptions {
  readonly log: Journal;
  readonly hosts: Pick<Hosts, "isElsewhere">;
  /** Whether an owner is of this process, which writes the rows of its sessions. */
  readonly isOwn: (owner: string) => boolean;
  /** Lists the sessions that have files or rows on this host. */
  readonly listLocal: () => Promise<readonly string[]>;
  /** Receives each session among them that another host has had since an epoch. */
  readonly onElsewhere: (session: string, epoch: number) => Promise<void>;
}

/** How many ends of sessions are read at the same time. */
const concurrency = 32;

/**
 * The log of a fleet as one host sees it. It reads and writes every session, and lists those that this host drives or drove
 * last. Otherwise each host would summarize and recover the sessions of all hosts.
 */
export class HostLog implements Journal {
  readonly #options: HostLogOptions;
  readonly #log: Journal;
  /** The position at which an update by this process was complete. No other process changes the sessions of this host. */
  readonly #listed: LogPosition = randomUUID();

  #appendedAt = 0n;

  constructor(options: HostLogOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  get carriesNotes(): boolean {
    return this.#log.carriesNotes;
  }

  tail(session: string): Promise<LogTail> {
    return this.#log.tail(session);
  }

  /** When the newest append or claim that the log acknowledged began, by `process.hrtime.bigint()`. */
  get appendedAt(): bigint {
    return this.#appendedAt;
  }

  append(batch: EventBatch, fence: Fence): Promise<Fence> {
    return this.#noteTime(() => this.#log.append(batch, fence));
  }

  read(session: string, after: number, options?: LogReadOptions): AsyncIterable<EventBatch> {
    return this.#log.read(session, after, options);
  }

  notes(session: string, after?: number): AsyncIterable<Uint8Array> {
    return this.#log.notes(session, after);
  }

  watch(session: string, after: number, signal: AbortSignal): AsyncIterable<EventBatch> {
    return this.#log.watch(session, after, signal);
  }

  forget(session: string, fence: Fence | "damaged"): Promise<void> {
    return this.#log.forget(session, fence);
  }

  claim(session: string, owner: string): Promise<Claim> {
    return this.#noteTime(() => this.#log.claim(session, owner));
  }

  async *sessions(): AsyncGenerator<LoggedSession> {
    const { hosts } = this.#options;
    for await (const one of this.#listLogged()) if (!hosts.isElsewhere(one.tail.owner)) yield one;
  }

  async *#listLogged(): AsyncGenerator<LoggedSession> {
    const sessions = await this.#options.listLocal();
    for (let first = 0; first < sessions.length; first += concurrency) {
      const part = sessions.slice(first, first + concurrency);
      yield* await Promise.all(part.map((session) => this.#readTail(session)));
    }
  }

  /**
   * Lists the sessions of this host until an update by this process was complete: one that was killed may have left rows that are
   * behind. Those that this process drives are left out, because it writes their rows. Those of other hosts are reported.
   */
  async changes(after: LogPosition | null): Promise<LogChanges> {
    const position = this.#listed;
    if (after === position) return { sessions: [], hasAll: false, position };
    const sessions: string[] = [];
    const { hosts, isOwn, onElsewhere } = this.#options;
    for await (const { session, tail } of this.#listLogged()) {
      if (hosts.isElsewhere(tail.owner)) await onElsewhere(session, tail.epoch);
      else if (!isOwn(tail.owner)) sessions.push(session);
    }
    return { sessions, hasAll: false, position };
  }

  /** Does nothing: the engine of the fleet closes its log. */
  async [Symbol.asyncDispose](): Promise<void> {}

  async #noteTime<Result>(write: () => Promise<Result>): Promise<Result> {
    const startedAt = process.hrtime.bigint();
    const result = await write();
    if (startedAt > this.#appendedAt) this.#appendedAt = startedAt;
    return result;
  }

  async #readTail(session: string): Promise<LoggedSession> {
    try {
      return { session, tail: await this.#log.tail(session) };
    } catch (error) {
      if (!FairleadError.is(error, "corrupt") || !FairleadError.isInstance(error)) throw error;
      return { session, tail: { epoch: 0, last: 0, fence: 0n, owner: "" }, damage: error };
    }
  }
}
