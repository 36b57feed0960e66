import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findKeeper, identity } from "@fairlead/keeper";

/** The name of a spare's folder: whose it is, and one of its own. */
export function spareName(random: string): string {
  return `${process.pid}-${random}`;
}

/** Lets go of the spare keepers of processes that were killed: nobody else knows of them. */
export async function endOrphanedSpares(folder: string): Promise<void> {
  await Promise.all(orphans(folder).map((name) => endSpare(join(folder, name))));
}

function orphans(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => identity(Number.parseInt(name, 10)) === null);
  } catch {
    return []; // there has never been a spare
  }
}

async function endSpare(folder: string): Promise<void> {
  try {
    const keeper = await findKeeper(folder);
    if (keeper !== "gone") {
      await using connection = keeper;
      // Only if it has nothing to keep.
      await connection.send({ do: "leave", id: "leave", after: 0 });
      await connection.closed;
    }
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Its own lease will end it.
  }
}
