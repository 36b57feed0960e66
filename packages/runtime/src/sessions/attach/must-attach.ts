import { FairleadError } from "@fairlead/contract";
import type { Runtime } from "../../runtime.ts";

/**
 * Whether this process is to attach to a session again after a failure: no other process or host has it, and it is neither paused
 * nor ended.
 */
export async function mustAttach(
  runtime: Pick<Runtime, "assertHere" | "catalog" | "engine" | "owner">,
  session: string,
): Promise<boolean> {
  const { catalog, engine } = runtime;
  const { owner } = await catalog.readTail(session);
  if (owner !== runtime.owner && ((await engine.hosts.isAlive(owner)) || !(await isHere(runtime, session))))
    return false;
  // Its arrival did not end. It must also if the session is paused: it may wait for a quota, and other hosts leave it to this one.
  if (engine.log.carriesNotes && !catalog.hasSpool(session)) return !(await catalog.hasEnded(session));
  return await catalog.isUnfinished(session);
}

async function isHere(runtime: Pick<Runtime, "assertHere">, session: string): Promise<boolean> {
  try {
    await runtime.assertHere(session);
    return true;
  } catch (error) {
    if (FairleadError.is(error, "fenced")) return false;
    throw error;
  }
}
