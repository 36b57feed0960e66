import type { SessionView } from "@fairlead/api";

/** Orders sessions so that those which an agent started follow the session of that agent. Keeps the order otherwise. */
export function toTree(sessions: readonly SessionView[]): SessionView[] {
  const ids = new Set(sessions.map(({ session }) => session));
  const children = Map.groupBy(sessions, ({ parent }) =>
    parent !== undefined && ids.has(parent.session) ? parent.session : null,
  );
  const withChildren = (view: SessionView): SessionView[] => [
    view,
    ...(children.get(view.session) ?? []).flatMap(withChildren),
  ];
  return (children.get(null) ?? []).flatMap(withChildren);
}
