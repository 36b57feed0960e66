import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Fence, Journal } from "@fairlead/journal";
import { endKeeper, findKeeper, spoolFolder } from "@fairlead/keeper";
import { readNewestEvent } from "../actor/stored-events.ts";
import { readEndMarker } from "./end-marker.ts";
import type { Home } from "../home.ts";

const keeperLeaveTimeout = 5000;

/**
 * Removes a session that has ended: what the caller stores about it, its folder, then its events. The events go last, so
 * that a session whose removal was interrupted is still listed and can be removed again. If only its folder has its end,
 * the events go first. Removes nothing of a session that has not ended.
 */
export async function forgetSession(
  home: Home,
  journal: Journal,
  session: string,
  removeStored: () => Promise<void>,
): Promise<void> {
  const fence = await readFence(journal, session);
  const folder = home.sessionFolder(session);
  // A session with a spool is one that the journal has lost, and its agent may run.
  if (fence === 0n && !existsSync(spoolFolder(folder))) {
    await removeStored();
    await journal.forget(session, fence); // an earlier attempt may have removed the events without emptying the log
    return;
  }
  const newest = fence === "damaged" ? undefined : await readNewestEvent(journal, session).catch(ignoreDamage);
  const hasMarker = newest?.body.type !== "session.ended";
  if (hasMarker && readEndMarker(home.endMarkerFile(session)) === null) {
    const message = `Session ${session} cannot be removed, because it has not ended.`;
    throw new FairleadError("conflict", `${message} End it with: fairlead stop ${session}`);
  }
  await removeStored();
  await dismissKeeper(folder);
  if (hasMarker) await journal.forget(session, fence);
  await rm(folder, { recursive: true, force: true });
  if (!hasMarker) await journal.forget(session, fence);
}

async function readFence(journal: Journal, session: string): Promise<Fence | "damaged"> {
  try {
    return (await journal.tail(session)).fence;
  } catch (error) {
    ignoreDamage(error);
    return "damaged";
  }
}

function ignoreDamage(error: unknown): undefined {
  if (!FairleadError.is(error, "corrupt")) throw error;
}

/** Dismisses the keeper of a session that has just ended. A keeper without a process exits at once. */
async function dismissKeeper(folder: string): Promise<void> {
  const keeper = await findKeeper(folder).catch(() => "unreachable" as const);
  if (keeper === "gone") return;
  if (keeper === "unreachable") return await endKeeper(folder);
  await using connection = keeper;
  await connection.send({ do: "leave", id: "forget" }).catch(() => {}); // the keeper may be exiting already
  const timeout = delay(keeperLeaveTimeout, "late" as const, { ref: false });
  if ((await Promise.race([connection.closed, timeout])) !== "late") return;
  throw new FairleadError(
    "unavailable",
    "The session cannot be removed, because its keeper does not exit: a process of the agent still runs. Try again later.",
  );
}
