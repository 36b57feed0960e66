import type { SessionIndex, SessionRow, SessionRowQuery } from "@fairlead/journal";
import { SessionProjection } from "@fairlead/runtime";
import type { IndexedSessions } from "@fairlead/service";

const listPageSize = 500;

/** Reads the index of a fleet as the queries of the service expect it. The hosts write the rows and repair them. */
export class FleetIndex implements IndexedSessions {
  readonly #index: SessionIndex;

  constructor(index: SessionIndex) {
    this.#index = index;
  }

  readonly pendingCount = 0;

  waitUntilComplete(): Promise<boolean> {
    return Promise.resolve(true);
  }

  readonly page: IndexedSessions["page"] = (query, options) => this.#index.page(query, options);

  readonly count: IndexedSessions["count"] = (query) => this.#index.count(query);

  projectionOf(row: SessionRow): SessionProjection {
    return SessionProjection.fromRow(row);
  }

  /** Yields all rows of a query, by id. */
  async *list(query: SessionRowQuery): AsyncGenerator<SessionRow> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const options = { order: "session", limit: listPageSize, ...(cursor !== undefined && { cursor }) } as const;
      const page = await this.#index.page(query, options);
      yield* page.rows;
      cursor = page.next;
    }
  }

  /** Returns what the row of a session has; undefined without a row. */
  async read(session: string): Promise<SessionProjection | undefined> {
    const row = await this.#index.get(session);
    return row && SessionProjection.fromRow(row);
  }
}
