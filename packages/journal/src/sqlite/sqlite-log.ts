import { setImmediate as nextTurn } from "node:timers/promises";
import { cutFrame, lastOf } from "../cut-frame.ts";
import type { Fence, Frame, LoggedSession, ReadOptions, Tail } from "../event-log.ts";
import { mustFollow } from "../must-follow.ts";
import type { Claim, Journal } from "../ownership.ts";
import type { Doorbell } from "./doorbell.ts";
import { attempt } from "./failure.ts";
import { toFrame, toRow } from "./frame-row.ts";
import type { FrameTable } from "./frame-table.ts";
import type { GroupCommit } from "./group-commit.ts";

export interface SqliteLogParts {
  /** Reads over a connection of its own, and so never sees a transaction that is not committed yet. */
  readonly table: FrameTable;
  readonly commits: GroupCommit;
  readonly doorbell: Doorbell;
  /** Closes the connections. */
  readonly close: () => void;
}

/** The journal in one SQLite file. */
export class SqliteLog implements Journal {
  readonly #parts: SqliteLogParts;

  constructor(parts: SqliteLogParts) {
    this.#parts = parts;
  }

  async tail(session: string): Promise<Tail> {
    return attempt(() => this.#parts.table.tail(session));
  }

  async append(frame: Frame, fence: Fence): Promise<Fence> {
    // Packed before waiting for the turn: the caller may use its buffers again.
    const row = toRow(frame);
    const written = await this.#parts.commits.write(frame.session, (tail) => {
      mustFollow(tail, frame, fence);
      return row;
    });
    return written.fence;
  }

  async claim(session: string, owner: string): Promise<Claim> {
    // The tail is read under the writer's lock, so a claim cannot lose to an append and has no need to try again.
    const { epoch, fence, last } = await this.#parts.commits.write(session, (tail) =>
      toRow({ session, epoch: tail.epoch + 1, first: tail.last + 1, events: [], owner }),
    );
    return { epoch, fence, last };
  }

  async *read(session: string, after: number, options: ReadOptions = {}): AsyncGenerator<Frame, void> {
    const { limit = Infinity, signal } = options;
    const end = after + limit;
    let position = after;
    while (position < end) {
      signal?.throwIfAborted();
      const rows = attempt(() => this.#parts.table.page(session, position, end));
      if (rows.length === 0) return;
      for (const row of rows) {
        const frame = cutFrame(toFrame(row), position, end - position);
        position = lastOf(frame);
        yield frame;
        signal?.throwIfAborted();
      }
      // A long history must not hold up the appends of others.
      await nextTurn();
    }
  }

  async *watch(session: string, after: number, signal: AbortSignal): AsyncGenerator<Frame, void> {
    if (signal.aborted) return;
    // Listening begins before reading: what is appended in between rings, and what was read is not read again.
    using bell = attempt(() => this.#parts.doorbell.listen(session));
    const stop = () => bell.ring();
    signal.addEventListener("abort", stop);
    using _ = { [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
    let position = after;
    while (true) {
      for await (const frame of this.read(session, position)) {
        if (signal.aborted) return;
        position = lastOf(frame);
        yield frame;
        if (signal.aborted) return;
      }
      await bell.heard();
      if (signal.aborted) return;
    }
  }

  async *sessions(): AsyncGenerator<LoggedSession, void> {
    yield* attempt(() => this.#parts.table.sessions());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.commits.flush();
    this.#parts.close();
    this.#parts.doorbell[Symbol.dispose]();
  }
}
