import { overviewEndedSessions, zeroCounts } from "@fairlead/api";
import type { DecisionView, OverviewFrame, SessionView } from "@fairlead/api";

/** The most views in a frame. A view has one or two kilobytes. */
const maxFrameItems = 500;
/** How many removals and closings are kept for readers that are behind. One that misses some starts again. */
const maxRemovals = 2000;

/** A view, and the number of its newest change. */
interface Numbered<View> {
  readonly number: number;
  readonly view: View;
}

/** A change that a reader has not got yet. */
type Change = { readonly number: number } & (
  | { readonly session: SessionView }
  | { readonly removed: string }
  | { readonly decision: DecisionView }
  | { readonly closed: OverviewFrame["closed"][number] }
);

/** What a reader has. */
export interface ReaderPosition {
  /** The reader has all views up to this number. */
  readonly number: number;
  /** It has all removals up to this number. While it reads the state from the beginning, it needs none from before. */
  readonly removals: number;
}

/** A frame, and what its reader has then. */
export interface NumberedFrame {
  readonly frame: OverviewFrame;
  readonly reader: ReaderPosition;
}

/**
 * The newest view of each session and open decision. Each change has a number, so that a reader is a number too: it gets what
 * has a higher one, and of several changes of a view only the newest. The order of the numbers is the order of the frames,
 * therefore a reader that lost its connection between two frames of the first state continues with the second.
 */
export class OverviewState {
  /** Set when the state has all sessions that the journal has. */
  isComplete = false;
  readonly #id: string;
  readonly #sessions = new Map<string, Numbered<SessionView>>();
  readonly #decisions = new Map<string, Map<string, Numbered<DecisionView>>>();
  readonly #ended = new Set<string>();
  #removals: Change[] = [];
  /** A reader before this number has missed removals. */
  #completeSince = 0;
  #number = 0;
  #counts = zeroCounts();

  /** `id` distinguishes the numbers of this state from those of any other. */
  constructor(id: string) {
    this.#id = id;
  }

  /** The number of the newest change. */
  get number(): number {
    return this.#number;
  }

  get views(): readonly SessionView[] {
    return Array.from(this.#sessions.values(), ({ view }) => view);
  }

  /** The sessions and runs with open decisions. */
  get asking(): readonly string[] {
    return [...this.#decisions.keys()];
  }

  get(session: string): SessionView | undefined {
    return this.#sessions.get(session)?.view;
  }

  set endedCount(ended: number) {
    this.#counts = { ...this.#counts, ended };
  }

  put(view: SessionView): void {
    const { session, state } = view;
    this.#forget(session);
    this.#sessions.set(session, { number: ++this.#number, view });
    if (state === "ended") this.#ended.add(session);
    else this.#count(state, 1);
  }

  remove(session: string): void {
    this.putDecisions(session, []);
    if (!this.#sessions.has(session)) return;
    this.#forget(session);
    this.#recordRemoval({ number: ++this.#number, removed: session });
  }

  /** Replaces the open decisions of a session or a run. */
  putDecisions(session: string, views: readonly DecisionView[]): void {
    const known = this.#decisions.get(session);
    if (known === undefined && views.length === 0) return;
    const open = new Map<string, Numbered<DecisionView>>();
    for (const view of views) {
      const before = known?.get(view.decision);
      const isSame = before !== undefined && isSameRequest(before.view, view);
      open.set(view.decision, isSame ? before : { number: ++this.#number, view });
    }
    for (const decision of known?.keys() ?? [])
      if (!open.has(decision)) this.#recordRemoval({ number: ++this.#number, closed: { session, decision } });
    if (open.size > 0) this.#decisions.set(session, open);
    else this.#decisions.delete(session);
  }

  /** Removes ended sessions beyond the newest ones. */
  trim(): void {
    if (this.#ended.size <= overviewEndedSessions) return;
    const ended = [...this.#ended].map((session) => this.get(session)).filter((view) => view !== undefined);
    for (const { session } of ended.toSorted(compareByActivity).slice(overviewEndedSessions)) this.remove(session);
  }

  /** Reads a position. Null if it is not of this state, or the state does not know what was removed since. */
  parsePosition(position: string | undefined): ReaderPosition | null {
    const [, id, number = "", removals = number] = /^([^.]*)\.(\d{1,15})(?:\.(\d{1,15}))?$/.exec(position ?? "") ?? [];
    const reader = { number: Number(number), removals: Number(removals) };
    return id === this.#id && reader.number <= reader.removals && reader.removals <= this.#number ? reader : null;
  }

  /**
   * Returns the next frame of a reader, or of a new one for null. Undefined if the reader has all changes. `isBehind`: the
   * reader does not know that it has the whole state.
   */
  nextFrame(reader: ReaderPosition | null, isBehind: boolean): NumberedFrame | undefined {
    const isReset = reader === null || reader.removals < this.#completeSince;
    const from = isReset ? { number: 0, removals: this.#number } : reader;
    if (!isReset && from.number === this.#number && !(isBehind && this.isComplete)) return undefined;
    const changes = this.#changesAfter(from);
    const sent = changes.slice(0, maxFrameItems);
    const isWhole = sent.length === changes.length;
    const number = isWhole ? this.#number : (sent.at(-1)?.number ?? 0);
    const next = { number, removals: Math.max(number, from.removals) };
    return { frame: this.#toFrame(sent, next, { isReset, isWhole }), reader: next };
  }

  /** Returns a frame without changes, for a reader that has all of them. */
  emptyFrame(reader: ReaderPosition): OverviewFrame {
    return this.#toFrame([], reader, { isReset: false, isWhole: true });
  }

  #changesAfter({ number, removals }: ReaderPosition): Change[] {
    const changes: Change[] = this.#removals.filter((change) => change.number > removals && !this.#isBack(change));
    for (const entry of this.#sessions.values())
      if (entry.number > number) changes.push({ number: entry.number, session: entry.view });
    for (const open of this.#decisions.values())
      for (const entry of open.values())
        if (entry.number > number) changes.push({ number: entry.number, decision: entry.view });
    return changes.toSorted((one, other) => one.number - other.number);
  }

  /** Whether what was removed exists again. Readers remove what a frame names as removed after they add its views. */
  #isBack(change: Change): boolean {
    if ("removed" in change) return this.#sessions.has(change.removed);
    return "closed" in change && this.#decisions.get(change.closed.session)?.has(change.closed.decision) === true;
  }

  #toFrame(
    changes: readonly Change[],
    { number, removals }: ReaderPosition,
    { isReset, isWhole }: { readonly isReset: boolean; readonly isWhole: boolean },
  ): OverviewFrame {
    return {
      reset: isReset,
      sessions: changes.flatMap((change) => ("session" in change ? [change.session] : [])),
      removed: changes.flatMap((change) => ("removed" in change ? [change.removed] : [])),
      decisions: changes.flatMap((change) => ("decision" in change ? [change.decision] : [])),
      closed: changes.flatMap((change) => ("closed" in change ? [change.closed] : [])),
      counts: this.#counts,
      caughtUp: isWhole && this.isComplete,
      position: `${this.#id}.${number}${removals === number ? "" : `.${removals}`}`,
    };
  }

  #forget(session: string): void {
    const before = this.#sessions.get(session);
    this.#sessions.delete(session);
    if (!this.#ended.delete(session) && before !== undefined) this.#count(before.view.state, -1);
  }

  #count(state: SessionView["state"], change: number): void {
    this.#counts = { ...this.#counts, [state]: this.#counts[state] + change };
  }

  #recordRemoval(change: Change): void {
    this.#removals.push(change);
    if (this.#removals.length <= 2 * maxRemovals) return;
    const dropped = this.#removals.length - maxRemovals;
    this.#completeSince = this.#removals[dropped - 1]?.number ?? 0;
    this.#removals = this.#removals.slice(dropped);
  }
}

/** The newest activity first, as in the pages of sessions. */
function compareByActivity(one: SessionView, other: SessionView): number {
  if (one.lastAt !== other.lastAt) return one.lastAt < other.lastAt ? 1 : -1;
  return one.session < other.session ? 1 : -1;
}

/** The input may be long, and the digest covers it. */
function isSameRequest(one: DecisionView, other: DecisionView): boolean {
  return one.digest === other.digest && one.since === other.since && one.replaces === other.replaces;
}
