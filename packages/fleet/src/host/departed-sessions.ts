import { renameSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Hosts } from "@fairlead/engine";
import type { EventLog, SessionRow } from "@fairlead/journal";
import { isKeeperGone, lastChangeIn, type Home } from "@fairlead/runtime";
import type { DrivenSessions } from "./driven-sessions.ts";

export interface DepartedSessionsOptions {
  readonly home: Home;
  readonly log: Pick<EventLog, "tail">;
  readonly hosts: Pick<Hosts, "isElsewhere">;
  /** The rows in the data directory of this host. */
  readonly local: {
    get(session: string): Promise<SessionRow | undefined>;
    remove(session: string): Promise<void>;
  };
  readonly driven: Pick<DrivenSessions, "has" | "reservationCount">;
  /** Milliseconds since the last change of a folder. */
  readonly keepFor: number;
  /** Receives why one session was not removed. The others are. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * Removes what this host still has of sessions that have moved to other hosts: folder and row. It keeps them for some days,
 * because a person may look for output that the log refused. A session that may come back now stays as it is.
 */
export async function removeDepartedSessions(options: DepartedSessionsOptions, signal?: AbortSignal): Promise<void> {
  const { home, keepFor, onError } = options;
  for (const session of await listNames(home.sessionsFolder)) {
    if (signal?.aborted === true) return;
    await removeDeparted(session, options).catch(onError);
  }
  for (const name of await listNames(home.arrivalsFolder)) {
    const folder = join(home.arrivalsFolder, name);
    if (await isOld(folder, keepFor)) await rm(folder, { recursive: true, force: true }).catch(onError);
  }
}

async function removeDeparted(session: string, options: DepartedSessionsOptions): Promise<void> {
  const { home, driven, keepFor } = options;
  if (driven.has(session) || !(await isOld(home.sessionFolder(session), keepFor))) return;
  if (await hasEndedHere(session, options)) return;
  const departed = join(home.arrivalsFolder, `${session}.departed`);
  await mkdir(home.arrivalsFolder, { recursive: true, mode: 0o700 });
  await rm(departed, { recursive: true, force: true }); // of a removal that was interrupted
  const { reservationCount } = driven;
  const { epoch, owner } = await options.log.tail(session);
  if (epoch > 0 && !options.hosts.isElsewhere(owner)) return;
  // Nothing may be awaited from here to the rename: the session could arrive, and the folder would be its new one.
  if (driven.has(session) || driven.reservationCount !== reservationCount) return;
  if (!isKeeperGone(home.sessionFolder(session))) return;
  renameSync(home.sessionFolder(session), departed);
  await rm(departed, { recursive: true, force: true });
  await options.local.remove(session);
}

/** A session that has ended on this host keeps its folder until it is forgotten. The row says so without a question to the servers. */
async function hasEndedHere(session: string, { local, hosts }: DepartedSessionsOptions): Promise<boolean> {
  const row = await local.get(session);
  return row?.state === "ended" && !hosts.isElsewhere(row.owner);
}

async function isOld(folder: string, keepFor: number): Promise<boolean> {
  const changedAt = await lastChangeIn(folder);
  return changedAt !== null && Date.now() - changedAt > keepFor;
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
