import type { Fairlead, SessionView } from "@fairlead/api";

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
  const all = await fairlead.sessions();
  for (;;) {
    const last: SessionView = chain.at(-1) ?? first;
    const next = all.filter(({ continues }) => continues === last.session);
    const continuation = await findAsync(next, (candidate) => isContinuation(fairlead, candidate));
    if (continuation === undefined) return chain;
    chain.push(continuation);
  }
}

async function findAsync<Item>(
  list: readonly Item[],
  predicate: (item: Item) => Promise<boolean>,
): Promise<Item | undefined> {
  for (const item of list) if (await predicate(item)) return item;
  return undefined;
}

/** A fork also names the session that it continues, but it is another conversation. */
async function isContinuation(fairlead: Fairlead, { session }: SessionView): Promise<boolean> {
  for await (const event of fairlead.events(session)) {
    return "body" in event && event.body.type === "session.started" && event.body.continues?.fork !== true;
  }
  return false;
}
