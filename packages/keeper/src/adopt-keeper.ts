import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { connectKeeper, type KeeperConnection } from "./client.ts";
import { socketPath } from "./session-folder.ts";

/**
 * Makes a spare keeper, started in a waiting folder, the keeper of a session: its folder is renamed, and it does not
 * mind. Fails if the session's folder exists. If the keeper has died meanwhile the folder is the session's all the same,
 * and `startKeeper` will do.
 */
export async function adoptKeeper(spareFolder: string, sessionFolder: string): Promise<KeeperConnection> {
  socketPath(sessionFolder); // too long a path is found out before anything is moved
  // A rename would replace an empty folder without a word; making it first fails if anything is there.
  mkdirSync(sessionFolder, { mode: 0o700 });
  try {
    renameSync(spareFolder, sessionFolder);
  } catch (error) {
    rmdirSync(sessionFolder);
    throw error;
  }
  return connectKeeper(sessionFolder);
}
