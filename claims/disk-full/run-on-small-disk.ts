import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { withScript } from "@fairlead/kit";
import { Runtime, type Session } from "@fairlead/runtime";
import { SessionWatcher } from "./session-watcher.ts";
import { SessionObserver } from "./session-observer.ts";
import { SmallDisk } from "./small-disk.ts";
import { SmallDiskTestHome, type DiskContents } from "./small-disk-test-home.ts";
import { waitForStandstill } from "./wait-for-standstill.ts";
import { waitUntil } from "./until.ts";

export interface DiskRunOptions {
  readonly diskContents: DiskContents;
  /** The number of lines that the agent prints, and its rate per second. */
  readonly lines: number;
  readonly rate: number;
  /** The disk is filled after each of this many events. */
  readonly fillAt: readonly number[];
}

/** The result. */
export interface DiskRunResult {
  /** The number of times that everything required stopped on the full disk and continued afterwards. */
  readonly standstills: number;
  readonly shownEvents: readonly Event[];
  readonly storedEvents: readonly Event[];
  /** The error that ended the stream before the turn was over; null if none. */
  readonly failure: Error | null;
}

/** Runs one session whose agent prints continuously on a disk that is filled repeatedly. */
export async function runOnSmallDisk({ diskContents, lines, rate, fillAt }: DiskRunOptions): Promise<DiskRunResult> {
  using disk = new SmallDisk(96);
  await using testHome = new SmallDiskTestHome(disk.folder, diskContents);
  const { home } = testHome;
  const workspace = join(home.folder, "w");
  mkdirSync(workspace, { recursive: true });
  const environment = { ...testHome.environment, XDG_STATE_HOME: home.folder };
  // Snapshots are written often, so that they meet the full disk too.
  const snapshotInterval = { records: 20, bytes: 1e9 };
  await using runtime = await Runtime.open({ home, adapters, environment, snapshotInterval });
  await using journal = await openSqliteLog({ file: home.journalFile });
  const session = await runtime.start({ agent: "scripted", workspace });
  const watcher = new SessionWatcher(session);
  await session.send(withScript("Go.", [{ flood: { lines, rate } }]));

  let standstills = 0;
  for (const threshold of fillAt) {
    await waitUntil(`${threshold} events`, () => watcher.shownEvents.length >= threshold || watcher.isOver);
    if (watcher.isOver) break;
    const observer = new SessionObserver(session.id, journal, watcher);
    const before = await waitForStandstill({ diskContents, disk, observer, watcher });
    if (before === null) break;
    const hasContinued = (): boolean => observer.written > before.written && watcher.shownEvents.length > before.shown;
    await waitUntil("the session continues", () => hasContinued() || watcher.isOver);
    if (hasContinued()) standstills += 1;
  }
  const failure = await watcher.finished;
  if (failure === null) await endSession(session);
  const storedEvents = await Array.fromAsync(runtime.events(session.id, 0));
  return { standstills, shownEvents: watcher.shownEvents, storedEvents, failure };
}

async function endSession(session: Session): Promise<void> {
  const { lastSequence } = session;
  await session.end();
  for await (const one of session.stream(lastSequence)) if ("body" in one && one.body.type === "session.ended") return;
}
