import type { CommandOptions, MethodRouteName } from "@fairlead/api";
import type { Engine } from "@fairlead/engine";
import { decodeEvents, idFromKey } from "@fairlead/runtime";
import { scopeKey } from "@fairlead/service";

/**
 * Finds the session that an earlier fork or resume with the same key has started from a session. Undefined if there is none, or
 * if one host had both last: it knows what the key was used for. After a move, no host knows.
 */
export async function findContinuation(
  { log }: Pick<Engine, "log">,
  method: MethodRouteName,
  session: string,
  { key, caller }: CommandOptions = {},
): Promise<string | undefined> {
  if (key === undefined || (method !== "fork" && method !== "resume")) return undefined;
  const started = idFromKey(scopeKey(key, caller));
  for await (const { body } of decodeEvents(log.read(started, 0, { limit: 1 }))) {
    const continues = body.type === "session.started" ? body.continues : null;
    if (continues === null || (continues.fork === true) !== (method === "fork")) return undefined;
    // A session that continues another one may have its name by now.
    if (session === started) return started;
    if (continues.session !== session) return undefined;
    const [source, newest] = await Promise.all([log.tail(session), log.tail(started)]);
    return source.owner === newest.owner ? undefined : started;
  }
  return undefined;
}
