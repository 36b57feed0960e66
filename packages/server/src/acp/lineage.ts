import type { Fairlead, SessionView } from "@fairlead/api";

/**
 * A session and those that went on with its conversation after it had ended, the newest last. To an editor they are one:
 * it knows the first.
 */
export async function lineage(fairlead: Fairlead, session: string): Promise<readonly [SessionView, ...SessionView[]]> {
  const first = await fairlead.session(session);
  const chain: [SessionView, ...SessionView[]] = [first];
  if (first.state !== "ended") return chain;
  const all = await fairlead.sessions();
  for (;;) {
    const last: SessionView = chain.at(-1) ?? first;
    const next = all.filter(({ continues }) => continues === last.session);
    const continuation = await found(next, (one) => isContinuation(fairlead, one));
    if (continuation === undefined) return chain;
    chain.push(continuation);
  }
}

async function found<One>(list: readonly One[], fits: (one: One) => Promise<boolean>): Promise<One | undefined> {
  for (const one of list) if (await fits(one)) return one;
  return undefined;
}

/** A fork has the same beginning, but goes its own way. */
async function isContinuation(fairlead: Fairlead, { session }: SessionView): Promise<boolean> {
  for await (const one of fairlead.events(session)) {
    return "body" in one && one.body.type === "session.started" && one.body.continues?.fork !== true;
  }
  return false;
}
