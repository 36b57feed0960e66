import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { connectKeeper, type KeeperConnection } from "./protocol/connect-keeper.ts";
import { socketPath } from "./session-folder.ts";

/**
 * Turns a spare keeper into the keeper of a session by renaming the folder it works in. Fails if the session's folder
 * exists. If the spare keeper has died, the folder is renamed anyway and the connection fails; `startKeeper` then
 * starts a keeper in it.
 */
export async function adoptKeeper(spareFolder: string, sessionFolder: string): Promise<KeeperConnection> {
  socketPath(sessionFolder); // throws for a path that is too long, before anything is renamed
  // A rename silently replaces an empty folder. Creating the folder first fails if it exists.
  mkdirSync(sessionFolder, { mode: 0o700 });
  try {
    renameSync(spareFolder, sessionFolder);
  } catch (error) {
    rmdirSync(sessionFolder);
    throw error;
  }
  return connectKeeper(sessionFolder);
}
