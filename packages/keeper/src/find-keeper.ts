import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { connectKeeper, type KeeperConnection } from "./client.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { identityFile } from "./session-folder.ts";

/** A keeper that leaves takes its socket away a moment before it is gone itself. */
const patience = 2000;

/**
 * The keeper of a session folder, or `gone`. Only what is certain counts: a process that lives on but cannot be reached
 * is neither, and throws.
 */
export async function findKeeper(folder: string): Promise<KeeperConnection | "gone"> {
  for (const deadline = performance.now() + patience; ; await delay(20)) {
    const known = await readIdentity(folder);
    if (known === null || !isAlive(known)) return "gone";
    try {
      return await connectKeeper(folder);
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

async function readIdentity(folder: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(identityFile(folder), "utf8")) as ProcessIdentity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
