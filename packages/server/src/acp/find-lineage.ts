import { type Fairlead, listSessions, type SessionView } from "@fairlead/api";

/**
 * Finds the sessions that continue a session's conversation after its end, oldest first. An editor sees them as one
 * session, under the id of the first.
 */
export async function findLineage(
  fairlead: Fairlead,
  session: string,
): Promise<readonly [SessionView, ...SessionView[]]> {
  const first = await fairlead.session(session);
  const chain: [SessionView, ...SessionView[]] = [first];
  if (first.state !== "ended") return chain;
  for (let last: SessionView | undefined = first; last !== undefined;) {
    last = await findContinuation(fairlead, last);
    if (last !== undefined) chain.push(last);
  }
  return chain;
}

async function findContinuation(fairlead: Fairlead, { session }: SessionView): Promise<SessionView | undefined> {
  for await (const candidate of listSessions(fairlead, { continues: session }))
    if (await isContinuation(fairlead, candidate)) return candidate;
  return undefined;
}

/** A fork also names the session that it continues, but it is another conversation. */
async function isContinuation(fairlead: Fairlead, { session }: SessionView): Promise<boolean> {
  for await (const event of fairlead.events(session)) {
    return "body" in event && event.body.type === "session.started" && event.body.continues?.fork !== true;
  }
  return false;
}
