import { readFile } from "node:fs/promises";
import { connectKeeper, type KeeperConnection } from "./client.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { identityFile } from "./session-folder.ts";

/**
 * The keeper of a session folder, or `gone`. Only what is certain counts: a process that lives but cannot be reached is
 * neither, and throws.
 */
export async function findKeeper(folder: string): Promise<KeeperConnection | "gone"> {
  const known = await readIdentity(folder);
  if (known === null || !isAlive(known)) return "gone";
  try {
    return await connectKeeper(folder);
  } catch (error) {
    if (!isAlive(known)) return "gone";
    throw error;
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
