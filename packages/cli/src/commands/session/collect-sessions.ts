import type { Fairlead, SessionPage, SessionQuery, SessionView } from "@fairlead/api";

const pageSize = 500;

/** The sessions of a query, and the number of sessions that may be missing because the daemon rebuilds its index. */
export type CollectedSessions = Pick<SessionPage, "sessions" | "pending">;

/** Reads pages of sessions until all are read, or `maxCount` sessions. `accepts` selects what a query cannot. */
export async function collectSessions(
  fairlead: Pick<Fairlead, "sessions">,
  query: SessionQuery,
  maxCount = Infinity,
  accepts?: (view: SessionView) => boolean,
): Promise<CollectedSessions> {
  const sessions: SessionView[] = [];
  let pending = 0;
  for (let cursor: string | null | undefined; cursor !== null && sessions.length < maxCount;) {
    const limit = accepts === undefined ? Math.min(pageSize, maxCount - sessions.length) : pageSize;
    const page = await fairlead.sessions({ ...query, limit, ...(cursor !== undefined && { cursor }) });
    sessions.push(...(accepts === undefined ? page.sessions : page.sessions.filter(accepts)));
    pending = Math.max(pending, page.pending);
    cursor = page.next;
  }
  return { sessions: sessions.slice(0, maxCount), pending };
}
