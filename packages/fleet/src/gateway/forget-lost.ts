import { FairleadError } from "@fairlead/contract";
import { hostOf, type Engine } from "@fairlead/engine";
import { decodeEvents, forgetImage } from "@fairlead/runtime";

/**
 * Removes an ended session whose host is lost: what the object store, the log and the index have of it. Throws the error of the
 * host if that is alive, `conflict` if the session has not ended, and `fenced` if its host has come back meanwhile. A host that
 * comes back later finds that the log does not have the session, and removes its own files.
 */
export async function forgetLost(
  { log, hosts, objects, index }: Pick<Engine, "log" | "hosts" | "objects" | "index">,
  session: string,
  { hostError, joinedHosts }: { readonly hostError: unknown; readonly joinedHosts: readonly string[] },
): Promise<void> {
  const { last, owner, fence } = await log.tail(session);
  // The next process of a host is another owner, and has not claimed the ended session.
  const host = hostOf(owner);
  if ((host !== undefined && joinedHosts.includes(host)) || (await hosts.isAlive(owner))) throw hostError;
  const [newest] = await Array.fromAsync(decodeEvents(log.read(session, last - 1)));
  if (newest?.body.type !== "session.ended") {
    const reason = "because it has not ended, and its host is not in the fleet now";
    const next = `When another host has it, end it with: fairlead stop ${session}`;
    throw new FairleadError("conflict", `Session ${session} cannot be removed, ${reason}. ${next}`);
  }
  // In this order, a removal that is interrupted can be repeated.
  await forgetImage(objects, session);
  await log.forget(session, fence);
  await index.remove(session);
}
