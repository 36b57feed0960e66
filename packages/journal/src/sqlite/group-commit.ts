import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Tail } from "../event-log.ts";
import { failure, isBusy, isFailedSync } from "./failure.ts";
import { checksumIn } from "./fence.ts";
import { toRow, type Draft } from "./frame-row.ts";
import type { FrameTable } from "./frame-table.ts";
import { patiently } from "./patiently.ts";
import { version } from "./schema.ts";

// Whoever comes next waits for the batch before, so no batch may be longer than the disk takes some milliseconds for.
const batchBytes = 1 << 20;

/** The least time between commits while several sessions write, in milliseconds. */
const pace = 4;

/** A wish to write to a session, or to forget it. */
export interface Order {
  readonly session: string;
  /** About how much there is to write. */
  readonly bytes: number;
  /** Makes the frame to be written after the tail that it is given, or throws when there may be none. */
  readonly compose: (tail: Tail) => Draft | "forget";
}

interface Waiting extends Order {
  readonly resolve: (tail: Tail) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes frames, those of one turn of the event loop in one transaction: a commit waits for the disk, and many
 * sessions can share the wait. Nobody hears of success before the commit.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #table: FrameTable;
  readonly #committed: () => void;
  readonly #waiting: Waiting[] = [];
  /** Where this process has left each session: an owner alone need not read again what it has just written. */
  readonly #tails = new Map<string, Tail>();
  #work: Promise<void> | undefined;
  /** Until when to wait for company. */
  #notBefore = 0;
  #inDoubt = false;

  constructor(database: DatabaseSync, table: FrameTable, committed: () => void) {
    this.#database = database;
    this.#table = table;
    this.#committed = committed;
  }

  /** Composes and writes under one lock, so that nobody can come between the tail and the frame that follows it. */
  write(order: Order): Promise<Tail> {
    const { promise, resolve, reject } = Promise.withResolvers<Tail>();
    this.#waiting.push({ ...order, resolve, reject });
    this.#work ??= this.#writeAll();
    return promise;
  }

  /** Resolves when nothing waits any more. */
  async finished(): Promise<void> {
    await this.#work;
  }

  /**
   * When the disk fails a sync, the commit is taken back, but its pages may stand in the write-ahead log all the same,
   * and would be found there after a crash. Writing anything else over them settles it; until then nobody can say.
   */
  settle(): void {
    if (!this.#inDoubt) return;
    try {
      this.#database.exec(`PRAGMA user_version = ${version}`);
    } catch (cause) {
      throw isBusy(cause) ? cause : new FairleadError("unavailable", "The disk does not say what it holds", { cause });
    }
    this.#inDoubt = false;
  }

  #doubt(): void {
    this.#inDoubt = true;
    try {
      this.settle();
    } catch {
      // The next who asks tries again.
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#company();
      const batch = this.#nextBatch();
      try {
        const answers = await patiently(() => this.#commit(batch));
        for (const answer of answers) answer();
        this.#committed();
      } catch (error) {
        for (const order of batch) order.reject(failure(error));
      }
    }
    this.#work = undefined;
  }

  /**
   * A commit takes as long whatever is in it. Who writes alone need not wait for anybody; where several write, the next of
   * them is about to come, and with hundreds the commits of one or two frames each would take the processor for themselves.
   */
  async #company(): Promise<void> {
    const early = this.#notBefore - performance.now();
    await (early > 0 ? delay(early) : nextTurn());
    const isAlone = this.#waiting.length === 1;
    this.#notBefore = isAlone ? 0 : performance.now() + pace;
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((order, index) => (bytes += order.bytes) > batchBytes && index > 0);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  /** Writes a batch or nothing of it; gives what to tell those who wait. */
  #commit(batch: readonly Waiting[]): (() => void)[] {
    try {
      this.settle();
      this.#database.exec("BEGIN IMMEDIATE");
      const answers = batch.map((order) => this.#carryOut(order));
      this.#database.exec("COMMIT");
      return answers;
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      if (isFailedSync(error)) this.#doubt();
      throw error;
    }
  }

  #carryOut(order: Waiting): () => void {
    try {
      const before = this.#tailOf(order.session);
      const tail = this.#put(order.session, order.compose(before), before);
      return () => {
        this.#tails.set(order.session, tail);
        order.resolve(tail);
      };
    } catch (error) {
      // As long as the transaction lives, only this frame is at fault, and the others need not suffer for it.
      if (!this.#database.isTransaction) throw error;
      return () => order.reject(failure(error));
    }
  }

  #put(session: string, draft: Draft | "forget", before: Tail): Tail {
    if (draft !== "forget") return this.#table.insert(toRow(draft, checksumIn(before.fence)));
    this.#table.forget(session);
    return this.#table.tail(session);
  }

  #tailOf(session: string): Tail {
    const known = this.#tails.get(session);
    return known !== undefined && this.#table.isTail(session, known) ? known : this.#table.tail(session);
  }
}
