import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { Hosts } from "@fairlead/engine";
import type { Claim, Journal } from "@fairlead/journal";
import { endKeeper } from "@fairlead/keeper";
import { realClock, sleep } from "../../actor/clock.ts";
import type { Home } from "../../home.ts";
import { recordForcedEnd, type ForcedEnd } from "../record-forced-end.ts";
import { claimAfterTail } from "./claim-after-tail.ts";
import { claimForStart } from "./claim-for-start.ts";
import { discardSession, removeDiscardedFolder } from "./discard-session.ts";
import { findStartState } from "./find-start-state.ts";
import { KeyedMutex } from "./keyed-mutex.ts";

/** Milliseconds before each further attempt to remove what a failed start has left. */
const retryDelays = [1000, 5000, 30_000, 120_000];

export interface FailedStartsOptions extends Pick<ForcedEnd, "home" | "journal" | "owner" | "onJournaled"> {
  readonly hosts: Pick<Hosts, "isAlive" | "isElsewhere">;
  /**
   * Milliseconds after which a start whose session no process has claimed is abandoned, and after which the sweep looks
   * again at starts that were in progress.
   */
  readonly unclaimedAge?: number;
}

/** One attempt of this process to start a session. */
export interface StartAttempt {
  readonly session: string;
  readonly claim: Claim;
}

/**
 * Removes what starts that failed, or whose process was killed, have left: a keeper, a folder, a claim. Each start has a
 * marker file while it is in progress, so that the next process finds it without a look at every session.
 */
export class FailedStarts implements AsyncDisposable {
  readonly #options: FailedStartsOptions;
  readonly #home: Home;
  readonly #journal: Journal;
  readonly #unclaimedAge: number;
  readonly #closing = new AbortController();
  readonly #tasks = new Set<Promise<unknown>>();
  /** Held while a session is claimed for a start, and while what is left of a start is removed. */
  readonly #mutex = new KeyedMutex();
  /** The newest attempt to start each session, until it has succeeded or nothing is left of it. */
  readonly #attempts = new Map<string, StartAttempt>();
  #nextSweep: NodeJS.Timeout | undefined;

  constructor(options: FailedStartsOptions) {
    this.#options = options;
    this.#home = options.home;
    this.#journal = options.journal;
    this.#unclaimedAge = options.unclaimedAge ?? 60_000;
  }

  /**
   * Claims a session that is about to be started, and notes the start. Waits while an earlier attempt is being removed.
   * One that could not be removed is left alone from now on: its session is the one that is started now.
   */
  async begin(session: string): Promise<StartAttempt> {
    return await this.#mutex.run(session, async () => {
      const claim = await claimForStart(this.#options, session, this.#closing.signal);
      if (claim.last === 0) await this.#writeMarker(session, claim);
      const attempt = { session, claim };
      this.#attempts.set(session, attempt);
      return attempt;
    });
  }

  /** Notes that a session was started. Never throws: the session runs. */
  finish(attempt: StartAttempt): void {
    const { session } = attempt;
    if ((this.#attempts.get(session) ?? attempt) !== attempt) return; // the marker belongs to a newer attempt
    this.#attempts.delete(session);
    try {
      this.#removeMarker(session);
    } catch {
      // The sweep of the next process removes it.
    }
  }

  /**
   * Removes a session whose start failed, or ends it if it has events, unless it was claimed again since. If that fails
   * too, for example for want of descriptors, it is tried again in the background. Never rejects. Does nothing once this
   * process closes the data directory: the start failed because of that, its agent may run, and closing stops no session.
   * What is left of a session without events is removed by the sweep of the next process.
   */
  async discard(attempt: StartAttempt, cause: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    try {
      await this.#discard(attempt, cause);
    } catch {
      void this.#track(this.#retryDiscard(attempt, cause));
    }
  }

  /**
   * Leaves a session alone that has events and whose start failed, because a caller attaches to it. Waits while it is
   * being ended.
   */
  async release(session: string): Promise<void> {
    await this.#mutex.run(session, async () => void this.#attempts.delete(session));
  }

  /**
   * Removes what killed processes have left of starts. Starts that are in progress are looked at again later, because
   * their processes may be killed yet. Never rejects: the next process tries again.
   */
  async sweep(): Promise<void> {
    await this.#track(this.#sweep().catch(() => {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#tasks);
    clearTimeout(this.#nextSweep);
  }

  async #discard(attempt: StartAttempt, cause: unknown): Promise<void> {
    const { session } = attempt;
    const { home, journal, owner } = this.#options;
    await this.#mutex.run(session, async () => {
      // Also for an attempt that a newer one has replaced: the folder that was moved aside is no session's folder.
      await removeDiscardedFolder(home, session);
      if (this.#attempts.get(session) !== attempt) return;
      const tail = await journal.tail(session);
      if (tail.owner === owner) {
        if (tail.last === 0) {
          await discardSession(this.#options, session, tail);
        } else {
          // Throws `fenced` if another process has attached to the session since.
          const claim = await claimAfterTail(journal, session, tail, owner);
          await endKeeper(home.sessionFolder(session));
          await recordForcedEnd({ ...this.#options, session, cause, claim });
          this.#removeMarker(session);
        }
      }
      this.#attempts.delete(session);
    });
  }

  async #retryDiscard(attempt: StartAttempt, cause: unknown): Promise<void> {
    for (const delay of retryDelays) {
      await sleep(realClock, delay, this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      const isDone = await this.#discard(attempt, cause).then(
        () => true,
        () => false,
      );
      if (isDone) return;
    }
    // From now on, the sweep treats it as abandoned.
    if (this.#attempts.get(attempt.session) === attempt) this.#attempts.delete(attempt.session);
  }

  async #sweep(): Promise<void> {
    clearTimeout(this.#nextSweep);
    for (const session of await listNames(this.#home.discardedFolder)) {
      if (this.#closing.signal.aborted) return;
      await this.#mutex.run(session, () => removeDiscardedFolder(this.#home, session)).catch(() => {});
    }
    let isComplete = true;
    for (const session of await listNames(this.#home.startsFolder)) {
      if (this.#closing.signal.aborted) return;
      // A start that cannot be removed keeps no other from being removed.
      const isSettled = await this.#mutex.run(session, () => this.#sweepStart(session)).catch(() => false);
      isComplete &&= isSettled;
    }
    if (isComplete || this.#closing.signal.aborted) return;
    this.#nextSweep = setTimeout(() => void this.sweep(), this.#unclaimedAge).unref();
  }

  /** Returns whether the start needs no further look. */
  async #sweepStart(session: string): Promise<boolean> {
    if (this.#attempts.has(session)) return true; // of this process, which removes it if it fails
    const markerFile = this.#home.startMarkerFile(session);
    const { owner, hosts } = this.#options;
    const unclaimedAge = this.#unclaimedAge;
    const state = await findStartState(this.#journal, { session, markerFile, owner, hosts, unclaimedAge });
    if (state === "in-progress") return false;
    if (state === "finished") this.#removeMarker(session);
    else await discardSession(this.#options, session, state.abandoned);
    return true;
  }

  /**
   * Notes that a start is in progress, before the session has a folder or a keeper. The marker is not synced: that takes
   * up to several milliseconds, and after a loss of power no keeper is left, only a folder without events.
   */
  async #writeMarker(session: string, { fence }: Claim): Promise<void> {
    try {
      mkdirSync(this.#home.startsFolder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#home.startMarkerFile(session), "");
    } catch (error) {
      await this.#journal.forget(session, fence).catch(() => {}); // only the claim exists, which has no effect
      throw error;
    }
  }

  #removeMarker(session: string): void {
    rmSync(this.#home.startMarkerFile(session), { force: true });
  }

  async #track(task: Promise<void>): Promise<void> {
    this.#tasks.add(task);
    await task.finally(() => this.#tasks.delete(task));
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
