import type { RunView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { LogPosition } from "@fairlead/journal";
import type { RunLog } from "./log/run-log.ts";
import { applyRunEvent } from "./log/to-run-view.ts";

interface KeptView {
  readonly last: number;
  readonly view: RunView;
}

/** How many views are kept. Those of open runs are always kept. */
const maxKept = 500;

/** The views of runs, kept by their last event: a view is folded from the events since then. */
export class RunViews {
  readonly #log: RunLog;
  readonly #kept = new Map<string, KeptView>();
  readonly #open = new Set<string>();
  /** Up to here, `#open` has all open runs. */
  #position: LogPosition | null = null;

  constructor(log: RunLog) {
    this.#log = log;
  }

  /** Returns the view of a run; null if there is none. */
  async read(run: string): Promise<RunView | null> {
    const last = await this.#log.last(run);
    if (last === 0) return null;
    const kept = this.#kept.get(run);
    if (kept?.last === last) return kept.view;
    let next: { last: number; view: RunView | null } = kept ?? { last: 0, view: null };
    for (const event of await this.#log.read(run, next.last))
      next = { last: event.seq, view: applyRunEvent(next.view, event) };
    if (next.view === null) return null;
    this.#keep(run, { last: next.last, view: next.view });
    return next.view;
  }

  /** Reads a run for a list. Damage of one run does not hide the others: it is shown by `read`. */
  async readIfIntact(run: string): Promise<RunView | null> {
    try {
      return await this.read(run);
    } catch (error) {
      if (FairleadError.is(error, "corrupt")) return null;
      throw error;
    }
  }

  /** Returns the open runs, also those that other processes started. Reads only runs that changed since the last call. */
  async listOpen(): Promise<RunView[]> {
    const { sessions, position } = await this.#log.changes(this.#position);
    for (const run of sessions) await this.readIfIntact(run);
    this.#position = position;
    const views = await Promise.all([...this.#open].map((run) => this.readIfIntact(run)));
    return views.filter((view) => view?.outcome === null).filter((view) => view !== null);
  }

  #keep(run: string, kept: KeptView): void {
    this.#kept.delete(run);
    this.#kept.set(run, kept);
    if (kept.view.outcome === null) this.#open.add(run);
    else this.#open.delete(run);
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= maxKept + this.#open.size) break;
      if (!this.#open.has(old)) this.#kept.delete(old);
    }
  }
}
