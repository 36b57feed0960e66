import { overviewEndedSessions, zeroCounts } from "@fairlead/api";
import type { DecisionView, OverviewFrame, SessionView } from "@fairlead/api";
import { ChangeLog, type OverviewChange } from "./change-log.ts";

/** The most views in a frame. A view has one or two kilobytes. */
const maxFrameItems = 500;
/** How many removals and closings are kept for readers that are behind. One that misses some starts again. */
const maxRemovals = 2000;

/** A view, and the number of its newest change. */
interface Numbered<View> {
  readonly number: number;
  readonly view: View;
}

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
 * therefore a reader that lost its connection between two frames of the first state continues with the second. A frame costs what
 * it has, however many views there are, because each follower gets its own.
 */
export class OverviewState {
  /** Set when the state has all sessions that the journal has. */
  isComplete = false;
  readonly #id: string;
  readonly #sessions = new Map<string, Numbered<SessionView>>();
  readonly #decisions = new Map<string, Map<string, Numbered<DecisionView>>>();
  readonly #byState = new Map<SessionView["state"], Set<string>>();
  readonly #changes: ChangeLog;
  /** The numbers of the removals that are remembered. */
  #removals: number[] = [];
  /** A reader before this number has missed removals. */
  #completeSince = 0;
  #number = 0;
  /** How many sessions have ended, also those that are not in the state. */
  #endedCount = 0;

  /** `id` distinguishes the numbers of this state from those of any other. */
  constructor(id: string, openLog = (isCurrent: (change: OverviewChange) => boolean) => new ChangeLog(isCurrent)) {
    this.#id = id;
    this.#changes = openLog((change) => this.#isCurrent(change));
  }

  /** The number of the newest change. */
  get number(): number {
    return this.#number;
  }

  get views(): readonly SessionView[] {
    return Array.from(this.#sessions.values(), ({ view }) => view);
  }

  /** The views of the sessions in some states. */
  *viewsIn(states: readonly SessionView["state"][]): Generator<SessionView> {
    for (const state of states) {
      for (const session of this.#byState.get(state) ?? []) {
        const view = this.get(session);
        if (view !== undefined) yield view;
      }
    }
  }

  /** The sessions and runs with open decisions. */
  get asking(): readonly string[] {
    return [...this.#decisions.keys()];
  }

  get(session: string): SessionView | undefined {
    return this.#sessions.get(session)?.view;
  }

  set endedCount(ended: number) {
    this.#endedCount = ended;
  }

  put(view: SessionView): void {
    const { session, state } = view;
    this.#forget(session);
    const number = ++this.#number;
    this.#sessions.set(session, { number, view });
    const others = this.#byState.get(state);
    if (others === undefined) this.#byState.set(state, new Set([session]));
    else others.add(session);
    this.#changes.add({ number, session: view });
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
    if (open.size > 0) this.#decisions.set(session, open);
    else this.#decisions.delete(session);
    for (const { number, view } of open.values())
      if (known?.get(view.decision)?.number !== number) this.#changes.add({ number, decision: view });
    for (const decision of known?.keys() ?? [])
      if (!open.has(decision)) this.#recordRemoval({ number: ++this.#number, closed: { session, decision } });
  }

  /** Removes ended sessions beyond the newest ones. */
  trim(): void {
    if ((this.#byState.get("ended")?.size ?? 0) <= overviewEndedSessions) return;
    const ended = [...this.viewsIn(["ended"])];
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
    const sent: OverviewChange[] = [];
    let isWhole = true;
    for (const change of this.#changes.after(from.number)) {
      if (!this.#isNews(change, from.removals)) continue;
      isWhole = sent.length < maxFrameItems;
      if (!isWhole) break;
      sent.push(change);
    }
    const number = isWhole ? this.#number : (sent.at(-1)?.number ?? 0);
    const next = { number, removals: Math.max(number, from.removals) };
    return { frame: this.#toFrame(sent, next, { isReset, isWhole }), reader: next };
  }

  /** Returns a frame without changes, for a reader that has all of them. */
  emptyFrame(reader: ReaderPosition): OverviewFrame {
    return this.#toFrame([], reader, { isReset: false, isWhole: true });
  }

  /** Whether a reader needs a change that comes after its number. */
  #isNews(change: OverviewChange, removals: number): boolean {
    const isRemoval = "removed" in change || "closed" in change;
    return isRemoval ? change.number > removals && !this.#isBack(change) : this.#isCurrent(change);
  }

  /** Whether a reader may still need a change. */
  #isCurrent(change: OverviewChange): boolean {
    const { number } = change;
    if ("session" in change) return this.#sessions.get(change.session.session)?.number === number;
    if (!("decision" in change)) return number > this.#completeSince;
    const { session, decision } = change.decision;
    return this.#decisions.get(session)?.get(decision)?.number === number;
  }

  /** Whether what was removed exists again. Readers remove what a frame names as removed after they add its views. */
  #isBack(change: OverviewChange): boolean {
    if ("removed" in change) return this.#sessions.has(change.removed);
    return "closed" in change && this.#decisions.get(change.closed.session)?.has(change.closed.decision) === true;
  }

  #toFrame(
    changes: readonly OverviewChange[],
    { number, removals }: ReaderPosition,
    { isReset, isWhole }: { readonly isReset: boolean; readonly isWhole: boolean },
  ): OverviewFrame {
    return {
      reset: isReset,
      sessions: changes.flatMap((change) => ("session" in change ? [change.session] : [])),
      removed: changes.flatMap((change) => ("removed" in change ? [change.removed] : [])),
      decisions: changes.flatMap((change) => ("decision" in change ? [change.decision] : [])),
      closed: changes.flatMap((change) => ("closed" in change ? [change.closed] : [])),
      counts: this.#countStates(),
      caughtUp: isWhole && this.isComplete,
      position: `${this.#id}.${number}${removals === number ? "" : `.${removals}`}`,
    };
  }

  #forget(session: string): void {
    const before = this.get(session);
    if (before === undefined) return;
    this.#sessions.delete(session);
    this.#byState.get(before.state)?.delete(session);
  }

  #countStates(): OverviewFrame["counts"] {
    const counts = zeroCounts();
    for (const [state, sessions] of this.#byState) counts[state] = sessions.size;
    return { ...counts, ended: this.#endedCount };
  }

  #recordRemoval(change: OverviewChange): void {
    this.#changes.add(change);
    this.#removals.push(change.number);
    if (this.#removals.length <= 2 * maxRemovals) return;
    const dropped = this.#removals.length - maxRemovals;
    this.#completeSince = this.#removals[dropped - 1] ?? 0;
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
