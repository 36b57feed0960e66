import type { DatabaseSync } from "node:sqlite";
import type { Tail } from "../event-log.ts";
import { failure } from "./failure.ts";
import type { FrameRow } from "./frame-row.ts";
import type { FrameTable } from "./frame-table.ts";

/** Makes the frame to be written after the tail that it is given, or throws when there may be none. */
type Compose = (tail: Tail) => FrameRow;

interface Order {
  readonly session: string;
  readonly compose: Compose;
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
  #orders: Order[] = [];

  constructor(database: DatabaseSync, table: FrameTable, committed: () => void) {
    this.#database = database;
    this.#table = table;
    this.#committed = committed;
  }

  /** Composes and writes under one lock, so that nobody can come between the tail and the frame that follows it. */
  write(session: string, compose: Compose): Promise<Tail> {
    const { promise, resolve, reject } = Promise.withResolvers<Tail>();
    if (this.#orders.length === 0) setImmediate(() => this.flush());
    this.#orders.push({ session, compose, resolve, reject });
    return promise;
  }

  /** Commits all that waits, now. */
  flush(): void {
    const orders = this.#orders;
    this.#orders = [];
    if (orders.length === 0) return;
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      const answers = orders.map((order) => this.#carryOut(order));
      this.#database.exec("COMMIT");
      for (const answer of answers) answer();
    } catch (error) {
      this.#rollBack();
      for (const order of orders) order.reject(failure(error));
      return;
    }
    this.#committed();
  }

  /** What to tell the one who ordered, once the transaction is committed. */
  #carryOut(order: Order): () => void {
    try {
      const tail = this.#table.insert(order.compose(this.#table.tail(order.session)));
      return () => order.resolve(tail);
    } catch (error) {
      // As long as the transaction lives, only this frame is at fault, and the others need not suffer for it.
      if (!this.#database.isTransaction) throw error;
      return () => order.reject(failure(error));
    }
  }

  #rollBack(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }
}
