import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findKeeper, readProcessIdentity } from "@fairlead/keeper";

/** Builds the name of a spare keeper's folder: the process that owns it, and a random part. */
export function spareFolderName(random: string): string {
  return `${process.pid}-${random}`;
}

/** Ends the spare keepers of processes that were killed. No other process knows them. */
export async function endOrphanedSpares(folder: string): Promise<void> {
  await Promise.all(findOrphans(folder).map((name) => endSpare(join(folder, name))));
}

function findOrphans(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => readProcessIdentity(Number.parseInt(name, 10)) === null);
  } catch {
    return []; // no spare was ever started
  }
}

async function endSpare(folder: string): Promise<void> {
  try {
    const keeper = await findKeeper(folder);
    if (keeper !== "gone") {
      await using connection = keeper;
      // `after: 0` dismisses the keeper only if its spool is empty, that is, if no session has adopted it.
      await connection.send({ do: "leave", id: "leave", after: 0 });
      await connection.closed;
    }
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The keeper ends when its own lease expires.
  }
}
