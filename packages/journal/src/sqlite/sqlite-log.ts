import { FairleadError } from "@fairlead/contract";
import { cutFrame, lastOf } from "../cut-frame.ts";
import type { Fence, Frame, LoggedSession, ReadOptions, Tail } from "../event-log.ts";
import { mustFollow } from "../must-follow.ts";
import type { Claim, Journal } from "../ownership.ts";
import { placeAfter, type Place } from "./chain.ts";
import type { Doorbell } from "./doorbell.ts";
import { toDraft } from "./frame-row.ts";
import type { FrameTable } from "./frame-table.ts";
import type { GroupCommit } from "./group-commit.ts";
import { patiently } from "./patiently.ts";
import { readPages } from "./read-pages.ts";
import type { Recovery } from "./recovery.ts";

export interface SqliteLogParts {
  /** Reads over a connection of its own, and so never sees a transaction that is not committed yet. */
  readonly table: FrameTable;
  readonly commits: GroupCommit;
  readonly doorbell: Doorbell;
  readonly recovery: Recovery | undefined;
  /** Closes the connections. */
  readonly close: () => void;
}

/** The journal in one SQLite file. */
export class SqliteLog implements Journal {
  readonly #parts: SqliteLogParts;

  constructor(parts: SqliteLogParts) {
    this.#parts = parts;
  }

  /** What a crash had left behind when this log was opened; nothing when all was in order. */
  get recovery(): Recovery | undefined {
    return this.#parts.recovery;
  }

  async tail(session: string): Promise<Tail> {
    return await patiently(() => {
      this.#parts.commits.settle();
      return this.#parts.table.tail(session);
    });
  }

  async append(frame: Frame, fence: Fence): Promise<Fence> {
    const draft = toDraft(frame);
    const compose = (tail: Tail) => {
      mustFollow(tail, frame, fence);
      return draft;
    };
    const bytes = draft.data.byteLength;
    return (await this.#parts.commits.write({ session: frame.session, bytes, compose })).fence;
  }

  async claim(session: string, owner: string): Promise<Claim> {
    // The tail is read under the writer's lock, so a claim cannot lose to an append and has no need to try again.
    const compose = (tail: Tail) =>
      toDraft({ session, epoch: tail.epoch + 1, first: tail.last + 1, events: [], owner });
    const { epoch, fence, last } = await this.#parts.commits.write({ session, bytes: 0, compose });
    return { epoch, fence, last };
  }

  async forget(session: string, fence: Fence): Promise<void> {
    const compose = (tail: Tail): "forget" => {
      if (fence === tail.fence) return "forget";
      throw new FairleadError("fenced", `Session ${session} is not forgotten: somebody else has written since`);
    };
    await this.#parts.commits.write({ session, bytes: 0, compose });
  }

  async *read(session: string, after: number, options: ReadOptions = {}): AsyncGenerator<Frame, void> {
    const { limit = Infinity, signal } = options;
    const end = after + limit;
    let position = after;
    if (position >= end) return;
    signal?.throwIfAborted();
    for await (const { frames } of readPages(this.#parts.table, session, placeAfter(after))) {
      for (const frame of frames) {
        if (frame.events.length === 0) continue;
        const cut = cutFrame(frame, position, end - position);
        position = lastOf(cut);
        yield cut;
        signal?.throwIfAborted();
        if (position >= end) return;
      }
    }
  }

  async *watch(session: string, after: number, signal: AbortSignal): AsyncGenerator<Frame, void> {
    if (signal.aborted) return;
    // Listening begins before reading: what is appended in between rings, and what was read is not read again.
    using bell = await patiently(() => this.#parts.doorbell.listen(session));
    const stop = () => bell.ring();
    signal.addEventListener("abort", stop);
    using _ = { [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
    let place: Place = placeAfter(after);
    while (!signal.aborted) {
      for await (const page of readPages(this.#parts.table, session, place)) {
        place = page.place;
        for (const frame of page.frames) {
          if (signal.aborted) return;
          if (frame.events.length > 0) yield cutFrame(frame, after);
        }
        if (signal.aborted) return;
      }
      await bell.heard();
    }
  }

  async *sessions(): AsyncGenerator<LoggedSession, void> {
    let damage: unknown;
    for (const session of await patiently(() => this.#parts.table.sessions())) {
      const tail = await this.tail(session).catch((error: unknown) => {
        // The others are still well, and who looks for one of them should find it.
        if (!FairleadError.is(error, "corrupt")) throw error;
        damage ??= error;
      });
      if (tail !== undefined) yield { session, tail };
    }
    if (damage !== undefined) throw damage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.commits.finished();
    this.#parts.close();
    this.#parts.doorbell[Symbol.dispose]();
  }
}
