import { sep } from "node:path";
import { KeyedMutex } from "../sessions/start/keyed-mutex.ts";

interface SessionActivity {
  readonly folder: string;
  readonly isBusy: boolean;
  /** When the session was last busy. */
  readonly lastBusyAt: number;
  readonly isRemoved?: boolean;
}

/** How long a session that is gone is known. Others may compare what changed while it was busy. */
const removedForMs = 24 * 3600 * 1000;

/** Comparisons that run at the same time. They read disks and take processor time, and are never urgent. */
const maxConcurrent = 2;

/**
 * Which sessions of this process are busy in which folder, so that a change is not attributed to the wrong one. Also runs
 * the comparisons: never two of one folder at a time, and few of all folders.
 */
export class WorkspaceActivity {
  readonly #sessions = new Map<string, SessionActivity>();
  readonly #folders = new KeyedMutex();
  readonly #slots = new KeyedMutex();
  #nextSlot = 0;

  /** Records whether a session has an open turn. */
  setBusy(session: string, folder: string, isBusy: boolean): void {
    this.#sessions.set(session, { folder, isBusy, lastBusyAt: performance.now() });
  }

  /** Removes a session that this process no longer drives. */
  remove(session: string): void {
    const known = this.#sessions.get(session);
    const now = performance.now();
    if (known !== undefined) {
      const lastBusyAt = known.isBusy ? now : known.lastBusyAt;
      this.#sessions.set(session, { ...known, isBusy: false, lastBusyAt, isRemoved: true });
    }
    for (const [other, { isRemoved, lastBusyAt }] of this.#sessions)
      if (isRemoved && lastBusyAt < now - removedForMs) this.#sessions.delete(other);
  }

  /** Whether another session was busy, since a time, in a folder that contains this one or is in it. */
  wasOtherBusy(session: string, folder: string, since: number): boolean {
    for (const [other, { folder: otherFolder, isBusy, lastBusyAt }] of this.#sessions) {
      if (other === session || !(contains(folder, otherFolder) || contains(otherFolder, folder))) continue;
      if (isBusy || lastBusyAt >= since) return true;
    }
    return false;
  }

  /** Runs a comparison of a folder when no other one of it runs. */
  async run<Result>(folder: string, compare: () => Promise<Result>): Promise<Result> {
    return await this.#folders.run(folder, () => {
      this.#nextSlot = (this.#nextSlot + 1) % maxConcurrent;
      return this.#slots.run(String(this.#nextSlot), compare);
    });
  }
}

function contains(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
