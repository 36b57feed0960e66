import type { SessionView } from "@fairlead/api";

/** Sessions in the order of a tree, and how far each is indented. */
export interface SessionTree {
  readonly sessions: readonly SessionView[];
  readonly indents: ReadonlyMap<string, number>;
}

/**
 * Orders sessions so that those which an agent started follow the session of that agent, indented. Keeps the order
 * otherwise. A session whose parent is not among them is not indented: it would seem to belong to the line above.
 */
export function toTree(sessions: readonly SessionView[]): SessionTree {
  const ids = new Set(sessions.map(({ session }) => session));
  const children = Map.groupBy(sessions, ({ parent }) =>
    parent !== undefined && ids.has(parent.session) ? parent.session : null,
  );
  const indents = new Map<string, number>();
  const withChildren = (view: SessionView, indent: number): SessionView[] => {
    indents.set(view.session, indent);
    return [view, ...(children.get(view.session) ?? []).flatMap((child) => withChildren(child, indent + 1))];
  };
  return { sessions: (children.get(null) ?? []).flatMap((view) => withChildren(view, 0)), indents };
}
