import { readdir } from "node:fs/promises";
import type { Engine, HostInfo } from "@fairlead/engine";
import { openSqliteIndex, type SessionIndex } from "@fairlead/journal";
import { projectionVersion, type Home } from "@fairlead/runtime";
import { HostIndex } from "./host-index.ts";
import { HostLog } from "./host-log.ts";
import { HostMembers } from "./host-members.ts";
import { refuseDaemonDirectory } from "./refuse-daemon-directory.ts";

const rowPageSize = 1000;

/** The engine of a fleet as one host sees it. */
export interface HostEngine extends Engine {
  readonly log: HostLog;
  readonly hosts: HostMembers;
  /** The rows in the data directory of the host. */
  readonly local: SessionIndex;
}

/**
 * Opens the engine of a fleet as one host sees it. Disposing it leaves the engine of the fleet open. `onLost` is called when the
 * host has expired.
 */
export async function openHostEngine(
  fleet: Engine,
  home: Home,
  facts: Omit<HostInfo, "name">,
  onLost: () => void,
): Promise<HostEngine> {
  home.create();
  refuseDaemonDirectory(home);
  const hosts = new HostMembers(fleet.hosts, facts, onLost);
  const local = await openSqliteIndex({ file: home.indexFile, contentVersion: projectionVersion });
  const index = new HostIndex({ local, fleet: fleet.index, hosts });
  const log = new HostLog({
    log: fleet.log,
    hosts,
    isOwn: (owner) => hosts.isOwn(owner),
    listLocal: async () => [...new Set([...(await listFolders(home.sessionsFolder)), ...(await listRows(local))])],
    onElsewhere: (session, epoch) => index.removeOlder(session, epoch),
  });
  return {
    ...fleet,
    log,
    hosts,
    local,
    index,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}

async function listRows(index: SessionIndex): Promise<string[]> {
  const sessions: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const options = { order: "session", limit: rowPageSize, ...(cursor !== undefined && { cursor }) } as const;
    const page = await index.page({}, options);
    sessions.push(...page.rows.map(({ session }) => session));
    cursor = page.next;
  }
  return sessions;
}

async function listFolders(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
