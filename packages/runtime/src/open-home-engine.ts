import { existsSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import { openLocalEngine, type Engine } from "@fairlead/engine";
import type { Home } from "./home.ts";
import { projectionVersion } from "./projection/session-projection.ts";

/** Opens the engine of one machine in a data directory: SQLite and files, and nothing to set up. */
export async function openHomeEngine(home: Home): Promise<Engine> {
  refuseHostOfFleet(home);
  return await openLocalEngine({
    journalFile: home.journalFile,
    indexFile: home.indexFile,
    indexContentVersion: projectionVersion,
    tokensFile: home.tokensFile,
    objectsFolder: home.objectsFolder,
  });
}

/** Throws `conflict` for the data directory of a fleet's host: a journal in it would hide that its events are on servers. */
function refuseHostOfFleet({ folder, hostIdFile }: Home): void {
  if (!existsSync(hostIdFile)) return;
  const message = `The data directory ${folder} is that of a host of a fleet, whose sessions are on the fleet's servers.`;
  throw new FairleadError(
    "conflict",
    `${message} Use a gateway (FAIRLEAD_URL), or another data directory (FAIRLEAD_HOME).`,
  );
}
