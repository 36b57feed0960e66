import type { DecisionView, OverviewFrame, SessionView } from "@fairlead/api";

/** All sessions and open decisions that the page knows. */
export interface Overview {
  readonly sessions: ReadonlyMap<string, SessionView>;
  /** Open decisions by session and decision. */
  readonly decisions: ReadonlyMap<string, DecisionView>;
  /** How many sessions there are in each state, also those that are not in the map. */
  readonly counts: Readonly<Partial<OverviewFrame["counts"]>>;
  /** Whether the whole current state has arrived. */
  readonly isComplete: boolean;
}

export const emptyOverview: Overview = { sessions: new Map(), decisions: new Map(), counts: {}, isComplete: false };

export function decisionKey({ session, decision }: Pick<DecisionView, "session" | "decision">): string {
  return `${session}/${decision}`;
}

/** Applies a message. A map that a message does not change stays the same object, so that lists are not computed again. */
export function applyOverview(overview: Overview, change: OverviewFrame): Overview {
  const base = change.reset ? emptyOverview : overview;
  const hasSessions = change.sessions.length > 0 || change.removed.length > 0;
  const hasDecisions = change.decisions.length > 0 || change.closed.length > 0;
  return {
    sessions: hasSessions ? withSessions(base.sessions, change) : base.sessions,
    decisions: hasDecisions ? withDecisions(base.decisions, change) : base.decisions,
    counts: change.counts,
    isComplete: base.isComplete || change.caughtUp,
  };
}

function withSessions(before: Overview["sessions"], { sessions, removed }: OverviewFrame): Overview["sessions"] {
  const after = new Map(before);
  for (const view of sessions) after.set(view.session, view);
  for (const session of removed) after.delete(session);
  return after;
}

function withDecisions(before: Overview["decisions"], { decisions, closed }: OverviewFrame): Overview["decisions"] {
  const after = new Map(before);
  for (const one of closed) after.delete(decisionKey(one));
  for (const view of decisions) after.set(decisionKey(view), view);
  return after;
}
