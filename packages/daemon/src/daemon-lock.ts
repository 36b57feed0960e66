import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Home } from "@fairlead/runtime/home";
import { isListening } from "./find-daemon.ts";

/** Locks a file until disposal. Returns null if another process holds the lock. */
export async function tryLockFile(file: string): Promise<Disposable | null> {
  // Loaded here: only starting and stopping a daemon needs the server's code, and it is large.
  const { lockFile } = await import("@fairlead/engine");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return lockFile(file);
  } catch (error) {
    if (!FairleadError.is(error, "unavailable")) throw error;
    return null;
  }
}

/** Takes the daemon's lock. Waits for a daemon that is shutting down or starting, and throws if one listens. */
export async function acquireDaemonLock(home: Home): Promise<Disposable> {
  for (;;) {
    const lock = await tryLockFile(home.daemonLock);
    if (lock !== null) return lock;
    if (await isListening(home.daemonSocket)) {
      throw new FairleadError("unavailable", "The daemon is already running. See: fairlead status");
    }
    await delay(20);
  }
}

/** Waits until no process holds the daemon's lock. Returns false after the timeout. */
export async function waitUntilUnlocked({ daemonLock }: Home, timeout: number): Promise<boolean> {
  // By its lock and not by its process: a process that its parent does not reap keeps its id without a limit.
  for (const deadline = performance.now() + timeout; performance.now() < deadline;) {
    using acquiredLock = await tryLockFile(daemonLock);
    if (acquiredLock !== null) return true;
    await delay(20);
  }
  return false;
}
