import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { connectKeeper, type ConnectKeeperOptions, type KeeperConnection } from "./protocol/connect-keeper.ts";
import { KeeperUnresponsive } from "./protocol/keeper-unresponsive.ts";
import { isProcessAlive, type ProcessIdentity } from "./process/process-identity.ts";
import { identityFile } from "./session-folder.ts";

/** A keeper that exits removes its socket a moment before its process ends. */
const unreachableTimeoutMs = 2000;

/**
 * Connects to the keeper of a session folder, or returns `gone` if its process has ended. Throws if the process is
 * alive but cannot be reached, because its state is then unknown: `KeeperUnresponsive` if it accepts connections but
 * does not answer.
 */
export async function findKeeper(folder: string, options?: ConnectKeeperOptions): Promise<KeeperConnection | "gone"> {
  for (const deadline = performance.now() + unreachableTimeoutMs; ; await delay(20)) {
    const identity = await readIdentityFile(folder);
    if (identity === null || !isProcessAlive(identity)) return "gone";
    try {
      return await connectKeeper(folder, options);
    } catch (error) {
      if (error instanceof KeeperUnresponsive || options?.signal?.aborted || performance.now() > deadline) throw error;
    }
  }
}

async function readIdentityFile(folder: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(identityFile(folder), "utf8")) as ProcessIdentity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
