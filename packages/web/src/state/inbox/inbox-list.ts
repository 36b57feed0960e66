import type { DecisionView, SessionView } from "@fairlead/api";
import { needsPerson } from "@fairlead/contract";

/** A card of the inbox. One that is no longer open stays where it is until the person leaves it. */
export interface InboxEntry {
  /** Of the request and not only of its id: an agent may use an id again. */
  readonly key: string;
  readonly view: DecisionView;
  readonly isOpen: boolean;
}

type RequestNames = Pick<DecisionView, "session" | "decision" | "digest" | "since">;

/** With its time, because an agent may also ask the same again with the same id. */
export function inboxKey({ session, decision, digest, since }: RequestNames): string {
  return JSON.stringify([session, decision, digest, since]);
}

/**
 * Brings the cards up to date. No card changes its place: new ones are added below, the longest wait first, and closed ones
 * stay. A card that moved could come under a finger that was meant for another one.
 */
export function updateInbox(list: readonly InboxEntry[], open: Iterable<DecisionView>): readonly InboxEntry[] {
  const views = new Map<string, DecisionView>();
  for (const view of open) views.set(inboxKey(view), view);
  const kept = list.map((entry) => {
    const view = views.get(entry.key);
    views.delete(entry.key);
    const isSame = entry.isOpen === (view !== undefined) && (view === undefined || view === entry.view);
    return isSame ? entry : { ...entry, isOpen: view !== undefined, view: view ?? entry.view };
  });
  const added = [...views]
    .map(([key, view]) => ({ key, view, isOpen: true }))
    // Requests of the same millisecond keep the order of the service, in which the agent asked.
    .toSorted((a, b) => compareText(a.view.since, b.view.since));
  const isChanged = added.length > 0 || kept.some((entry, at) => entry !== list[at]);
  return isChanged ? [...kept, ...added] : list;
}

/** Removes closed cards, after the person has acted. */
export function leaveClosed(list: readonly InboxEntry[]): readonly InboxEntry[] {
  return list.every(({ isOpen }) => isOpen) ? list : list.filter(({ isOpen }) => isOpen);
}

/**
 * Brings the cards beside the list up to date, of which a person leaves none: of the closed ones, the last one stays at its
 * place with its outcome.
 */
export function updatePreview(list: readonly InboxEntry[], open: Iterable<DecisionView>): readonly InboxEntry[] {
  const next = updateInbox(list, open);
  const before = new Set(list.flatMap((entry) => (entry.isOpen ? [entry.key] : [])));
  const last = next.findLast((entry) => !entry.isOpen && before.has(entry.key));
  return last === undefined ? next : next.filter((entry) => entry.isOpen || entry === last);
}

/** Returns the key of the card so many places below another one, and of the last or first one at the end of the list. */
export function stepInInbox(list: readonly InboxEntry[], from: string | null, step: number): string | null {
  const at = list.findIndex(({ key }) => key === from);
  return list[Math.min(Math.max(at + step, 0), list.length - 1)]?.key ?? null;
}

/** Returns the open card that follows a closed one: below it, else the first one. Null if no card is open. */
export function nextOpen(list: readonly InboxEntry[], from: string | null): string | null {
  const at = list.findIndex(({ key }) => key === from);
  return (list.slice(at + 1).find(({ isOpen }) => isOpen) ?? list.find(({ isOpen }) => isOpen))?.key ?? null;
}

/** Lists the requests that wait for a person. Others are open only until the policy or the permission mode answers them. */
export function listWaiting(
  decisions: Iterable<DecisionView>,
  sessions: ReadonlyMap<string, Pick<SessionView, "mode">>,
): DecisionView[] {
  return [...decisions].filter((view) => needsPerson(sessions.get(view.session)?.mode, view));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
