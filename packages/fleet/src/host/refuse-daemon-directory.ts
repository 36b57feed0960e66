import { existsSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { Home } from "@fairlead/runtime";

/** Throws `conflict` for a data directory that a daemon without a fleet has used: its sessions are in its own journal. */
export function refuseDaemonDirectory({ folder, journalFile }: Pick<Home, "folder" | "journalFile">): void {
  if (!existsSync(journalFile)) return;
  throw new FairleadError(
    "conflict",
    `The data directory ${folder} has sessions of a daemon without a fleet, and their agents may run. Use another one for the host: FAIRLEAD_HOME=FOLDER fairlead host join …`,
  );
}
