import type { SessionView } from "@fairlead/api";
import { findUnattended, type Need, needLabels, needOf, needs, waitingSince } from "./needs.ts";
import { folderOf, matchesFilter, type SessionFilter } from "./session-filter.ts";

/** A line of the list: the heading of a group, or a session. */
export type ListRow =
  | { readonly type: "heading"; readonly key: string; readonly label: string; readonly count: number }
  | { readonly type: "session"; readonly key: string; readonly view: SessionView; readonly depth: number };

type NeedOf = (view: SessionView) => Need;

interface Group {
  readonly label: string;
  readonly views: SessionView[];
}

/** Filters, groups and sorts the sessions, and returns them as lines. */
export function listSessionRows(sessions: Iterable<SessionView>, filter: SessionFilter, now = Date.now()): ListRow[] {
  const all = [...sessions];
  const unattended = findUnattended(all, now);
  const needOfView = (view: SessionView): Need => needOf(view, unattended);
  const groups = new Map<string, Group>();
  for (const view of all) {
    if (!matchesFilter(view, filter, unattended)) continue;
    const [key, label] = groupOf(view, filter, needOfView);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { label, views: [view] });
    else group.views.push(view);
  }
  return sortGroups(groups, filter).flatMap(([key, { label, views }]) => [
    { type: "heading", key: `group ${key}`, label, count: views.length } as const,
    ...toRows(
      views.toSorted((a, b) => compareSessions(a, b, needOfView)),
      filter,
    ),
  ]);
}

function groupOf(
  view: SessionView,
  { group }: SessionFilter,
  needOfView: NeedOf,
): readonly [key: string, label: string] {
  if (group === "workspace") return [folderOf(view), folderOf(view)];
  if (group === "agent") return [view.agent, view.label];
  if (group === "family") return ["all", "All, by the session that started them"];
  const need = needOfView(view);
  return [need, needLabels[need]];
}

function sortGroups(groups: ReadonlyMap<string, Group>, { group }: SessionFilter): (readonly [string, Group])[] {
  const entries = [...groups];
  if (group !== "need") return entries.toSorted(([, a], [, b]) => (a.label < b.label ? -1 : 1));
  return needs.flatMap((need) => entries.filter(([key]) => key === need));
}

/** The longest wait first among those that need a person, else the newest activity. Ids make the order total. */
function compareSessions(a: SessionView, b: SessionView, needOfView: NeedOf): number {
  const need = needOfView(a);
  const rank = needs.indexOf(need) - needs.indexOf(needOfView(b));
  if (rank !== 0) return rank;
  const byTime = need === "needs-you" ? compareText(waitingSince(a), waitingSince(b)) : compareTimes(a, b, need);
  return byTime || compareText(a.session, b.session);
}

/**
 * Working sessions are sorted by their start. By their newest event they would change places several times a second, and a
 * click would hit another session than the person meant.
 */
function compareTimes(a: SessionView, b: SessionView, need: Need): number {
  const key = need === "working" ? "startedAt" : "lastAt";
  return compareText(b[key], a[key]);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function toRows(views: readonly SessionView[], { group }: SessionFilter): ListRow[] {
  if (group !== "family") return views.map((view) => ({ type: "session", key: view.session, view, depth: 0 }));
  const known = new Set(views.map(({ session }) => session));
  const children = new Map<string | null, SessionView[]>();
  for (const view of views) {
    const parent = view.parent?.session ?? view.continues;
    const key = parent !== null && known.has(parent) ? parent : null;
    const siblings = children.get(key);
    if (siblings === undefined) children.set(key, [view]);
    else siblings.push(view);
  }
  const rows: ListRow[] = [];
  // A stack, because a chain of forks may be deeper than the call stack.
  const open = (children.get(null) ?? []).map((view) => ({ view, depth: 0 })).toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { view, depth } = next;
    rows.push({ type: "session", key: view.session, view, depth });
    for (const child of (children.get(view.session) ?? []).toReversed()) open.push({ view: child, depth: depth + 1 });
  }
  return rows;
}
