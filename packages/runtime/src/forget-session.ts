import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { findKeeper } from "@fairlead/keeper";
import { newestEvent } from "./event-bytes.ts";
import type { Home } from "./home.ts";

const patience = 5000;

/**
 * Removes a session that has ended, record and journal. The journal goes last: whoever is killed before that leaves a
 * session that is still listed, and can be forgotten again.
 */
export async function forgetSession(home: Home, journal: Journal, session: string): Promise<void> {
  const { fence, epoch } = await journal.tail(session);
  if (epoch === 0) return; // it is forgotten already
  if ((await newestEvent(journal, session))?.body.type !== "session.ended") {
    const message = `Session ${session} has not ended, and only what has ended can be forgotten.`;
    throw new FairleadError("conflict", `${message} \`fairlead stop ${session}\` ends it.`);
  }
  const folder = home.session(session);
  await letKeeperGo(folder);
  await rm(folder, { recursive: true, force: true });
  await journal.forget(session, fence);
}

/** Of a session that has just ended, the keeper may still be there; with nothing to hold it leaves at once. */
async function letKeeperGo(folder: string): Promise<void> {
  const keeper = await findKeeper(folder);
  if (keeper === "gone") return;
  await using connection = keeper;
  await connection.send({ do: "leave", id: "forget" }).catch(() => {}); // it may be leaving already
  const late = delay(patience, "late" as const, { ref: false });
  if ((await Promise.race([connection.closed, late])) !== "late") return;
  throw new FairleadError("unavailable", "The session's keeper does not leave; something still runs in it.");
}
