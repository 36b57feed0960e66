import type { SessionView } from "@fairlead/api";

/** What has ended, but for those from which something goes on that has not: that may still need their memory. */
export function forgettable(sessions: readonly SessionView[]): SessionView[] {
  const origins = new Map(sessions.map(({ session, continues }) => [session, continues]));
  const needed = new Set<string>();
  for (const { session, state } of sessions) {
    if (state === "ended") continue;
    for (let one: string | null = session; one !== null && !needed.has(one); one = origins.get(one) ?? null) {
      needed.add(one);
    }
  }
  return sessions.filter(({ session }) => !needed.has(session));
}
