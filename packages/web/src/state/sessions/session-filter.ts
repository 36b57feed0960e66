import { formatSessionState, type SessionView } from "@fairlead/api";
import { needOf, needs, type Need } from "./needs.ts";

export type Grouping = "need" | "workspace" | "agent" | "family";

export const groupings: readonly Grouping[] = ["need", "workspace", "agent", "family"];

/** What the list of sessions shows. It is kept in the query of the address, so that a view is a link. */
export interface SessionFilter {
  readonly need: Need | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  readonly text: string;
  readonly group: Grouping;
}

/** Reads the filter from the query of the address. A value that no filter has is ignored. */
export function readFilter(query: URLSearchParams): SessionFilter {
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | null =>
    values.find((value) => value === query.get(name)) ?? null;
  return {
    need: oneOf("need", needs),
    agent: query.get("agent"),
    workspace: query.get("workspace"),
    text: query.get("q") ?? "",
    group: oneOf("group", groupings) ?? "need",
  };
}

/** Returns the query of the address for a filter. Defaults are left out. */
export function writeFilter({ need, agent, workspace, text, group }: SessionFilter): URLSearchParams {
  const query = new URLSearchParams();
  const entries = { need, agent, workspace, q: text, group: group === "need" ? null : group };
  for (const [name, value] of Object.entries(entries)) if (value) query.set(name, value);
  return query;
}

/** The folder that a person knows: that of the repository, also for a session in an isolated copy. */
export function folderOf({ copy, workspace }: Pick<SessionView, "copy" | "workspace">): string {
  return copy?.workspace ?? workspace;
}

export function matchesFilter(
  view: SessionView,
  filter: SessionFilter,
  unattended: ReadonlySet<string> = new Set(),
): boolean {
  if (filter.need !== null && needOf(view, unattended) !== filter.need) return false;
  if (filter.agent !== null && view.agent !== filter.agent) return false;
  if (filter.workspace !== null && folderOf(view) !== filter.workspace) return false;
  return matchesText(view, filter.text);
}

/** Every word must be found in one of the fields that a person knows the session by. */
export function matchesText(view: SessionView, text: string): boolean {
  if (text.trim() === "") return true;
  const { session, name, title, label, model } = view;
  const fields = [session, name ?? "", title, label, model ?? "", folderOf(view), formatSessionState(view)];
  const haystack = fields.join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
