import { setTimeout as wait } from "node:timers/promises";
import type { SessionWatcher } from "./session-watcher.ts";
import type { SessionObserver, SessionProgress } from "./session-observer.ts";
import type { DiskContents } from "./small-disk-test-home.ts";
import type { SmallDisk } from "./small-disk.ts";
import { waitUntil } from "./until.ts";

/** More than pipes can hold, about a second of output: an agent that has written this much was read. */
const bytesBeyondPipes = 400_000;

export interface StandstillOptions {
  readonly diskContents: DiskContents;
  readonly disk: SmallDisk;
  readonly observer: SessionObserver;
  readonly watcher: SessionWatcher;
}

/**
 * Fills the disk and waits until everything that must stop has stopped. Returns the progress at that point, or null if the
 * turn ends first. Nothing more is stored or shown. If the spool is on that disk, the agent blocks too, for a second. If
 * only the journal is, appends fail and the agent continues.
 */
export async function waitForStandstill({
  diskContents,
  disk,
  observer,
  watcher,
}: StandstillOptions): Promise<SessionProgress | null> {
  const checkAgent = diskContents === "home" ? isAgentWaiting : isAgentContinuing;
  let progress: SessionProgress | null = null;
  using _ = disk.fill();
  await waitUntil("a standstill", async () => {
    const before = await observer.readProgress();
    const isAgentAsExpected = await checkAgent(before, { observer, watcher });
    const after = await observer.readProgress();
    const isStill = after.stored === before.stored && after.shown === before.shown && after.shown === after.stored;
    if (isAgentAsExpected && isStill && disk.isFull && !watcher.isOver) progress = after;
    return progress !== null || watcher.isOver;
  });
  return progress;
}

type Observers = Pick<StandstillOptions, "watcher" | "observer">;

async function isAgentWaiting(before: SessionProgress, { observer }: Observers): Promise<boolean> {
  await wait(1000);
  return observer.written === before.written;
}

async function isAgentContinuing(before: SessionProgress, { observer, watcher }: Observers): Promise<boolean> {
  if (!(await observer.isJournalRefusing())) return false;
  await waitUntil("the agent continues", () => observer.written >= before.written + bytesBeyondPipes || watcher.isOver);
  return await observer.isJournalRefusing();
}
