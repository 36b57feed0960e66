import type { SessionRow, SessionRowCount, SessionRowQuery } from "@fairlead/journal";

type CountedRow = Pick<SessionRow, "agent" | "state" | "unfinished">;

/** The rows of one agent in one state. */
interface StateCount {
  unfinished: number;
  finished: number;
}

/** The number of rows of each agent in each state. */
export class RowCounts {
  /** By agent, then by state: to build one key for both takes longer than two lookups. */
  readonly #counts = new Map<string, Map<string, StateCount>>();

  /** Counts a row, or with -1 no longer. */
  add({ agent, state, unfinished }: CountedRow, change: 1 | -1): void {
    let states = this.#counts.get(agent);
    if (states === undefined) this.#counts.set(agent, (states = new Map()));
    let count = states.get(state);
    if (count === undefined) states.set(state, (count = { unfinished: 0, finished: 0 }));
    if (unfinished) count.unfinished += change;
    else count.finished += change;
    if (count.unfinished + count.finished > 0) return;
    states.delete(state);
    if (states.size === 0) this.#counts.delete(agent);
  }

  /** Whether the counts answer a query without the rows. */
  canAnswer({ agent: _agent, states: _states, unfinished: _unfinished, ...rest }: SessionRowQuery): boolean {
    return Object.values(rest).every((value) => value === undefined);
  }

  list(query: SessionRowQuery = {}): SessionRowCount[] {
    const rows: SessionRowCount[] = [];
    for (const [agent, states] of this.#counts) {
      if (query.agent !== undefined && query.agent !== agent) continue;
      for (const [state, { unfinished, finished }] of states) {
        if (query.states?.includes(state) === false) continue;
        const count = (query.unfinished === false ? 0 : unfinished) + (query.unfinished === true ? 0 : finished);
        if (count > 0) rows.push({ agent, state, count });
      }
    }
    return rows;
  }
}
