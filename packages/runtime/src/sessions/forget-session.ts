import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { findKeeper } from "@fairlead/keeper";
import { readNewestEvent } from "../actor/stored-events.ts";
import type { Home } from "../home.ts";

const keeperLeaveTimeout = 5000;

/**
 * Removes a session that has ended: its folder, then its events. The events go last, so that a session whose removal was
 * interrupted is still listed and can be removed again.
 */
export async function forgetSession(home: Home, journal: Journal, session: string): Promise<void> {
  const { fence, epoch } = await journal.tail(session);
  if (epoch === 0) return; // already removed
  if ((await readNewestEvent(journal, session))?.body.type !== "session.ended") {
    const message = `Session ${session} cannot be removed, because it has not ended.`;
    throw new FairleadError("conflict", `${message} End it with: fairlead stop ${session}`);
  }
  const folder = home.sessionFolder(session);
  await dismissKeeper(folder);
  await rm(folder, { recursive: true, force: true });
  await journal.forget(session, fence);
}

/** Dismisses the keeper of a session that has just ended. A keeper without a process exits at once. */
async function dismissKeeper(folder: string): Promise<void> {
  const keeper = await findKeeper(folder);
  if (keeper === "gone") return;
  await using connection = keeper;
  await connection.send({ do: "leave", id: "forget" }).catch(() => {}); // the keeper may be exiting already
  const timeout = delay(keeperLeaveTimeout, "late" as const, { ref: false });
  if ((await Promise.race([connection.closed, timeout])) !== "late") return;
  throw new FairleadError(
    "unavailable",
    "The session cannot be removed, because its keeper does not exit: a process of the agent still runs. Try again later.",
  );
}
