import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Journal } from "@fairlead/journal";
import { endKeeper } from "@fairlead/keeper";
import { realClock, sleep } from "../../actor/clock.ts";
import type { Home } from "../../home.ts";
import { discardSession, findStartState } from "./discard-session.ts";
import { recordForcedEnd, type ForcedEnd } from "../record-forced-end.ts";

/** Milliseconds before each further attempt to remove what a failed start has left. */
const retryDelays = [1000, 5000, 30_000, 120_000];

export type FailedStartsOptions = Pick<ForcedEnd, "home" | "journal" | "owner" | "onJournaled">;

/**
 * Removes what starts that failed, or whose process was killed, have left: a keeper, a folder, a claim. Each start has a
 * marker file while it is in progress, so that the next process finds it without a look at every session.
 */
export class FailedStarts implements AsyncDisposable {
  readonly #options: FailedStartsOptions;
  readonly #home: Home;
  readonly #journal: Journal;
  readonly #closing = new AbortController();
  readonly #tasks = new Set<Promise<unknown>>();

  constructor(options: FailedStartsOptions) {
    this.#options = options;
    this.#home = options.home;
    this.#journal = options.journal;
  }

  /** Notes that the start of a session begins, before anything of the session exists. */
  begin(session: string): void {
    mkdirSync(this.#home.startsFolder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#markerFile(session), "");
  }

  /** Notes that a session was started, or that nothing is left of its start. Never throws: the session runs. */
  finish(session: string): void {
    try {
      rmSync(this.#markerFile(session), { force: true });
    } catch {
      // The sweep of the next process removes it.
    }
  }

  /**
   * Removes a session whose start failed, or ends it if it has events. If that fails too, for example for want of
   * descriptors, it is tried again in the background. Never rejects. Does nothing once this process closes the data
   * directory: the start failed because of that, its agent may run, and closing stops no session. What is left of a
   * session without events is removed by the sweep of the next process.
   */
  async discard(session: string, cause: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    try {
      await this.#discard(session, cause);
    } catch {
      this.#track(this.#retryDiscard(session, cause));
    }
  }

  /** Removes what killed processes have left of starts, in the background. */
  startSweep(): void {
    this.#track(this.#sweep().catch(() => {})); // the next process tries again
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#tasks);
  }

  async #discard(session: string, cause: unknown): Promise<void> {
    const folder = this.#home.sessionFolder(session);
    if ((await this.#journal.tail(session)).last === 0) {
      await discardSession(this.#journal, session, folder);
    } else {
      await endKeeper(folder);
      await recordForcedEnd({ ...this.#options, session, cause });
    }
    this.finish(session);
  }

  async #retryDiscard(session: string, cause: unknown): Promise<void> {
    for (const delay of retryDelays) {
      await sleep(realClock, delay, this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      const isDone = await this.#discard(session, cause).then(
        () => true,
        () => false,
      );
      if (isDone) return;
    }
  }

  async #sweep(): Promise<void> {
    for (const session of await readdir(this.#home.startsFolder)) {
      if (this.#closing.signal.aborted) return;
      await this.#sweepStart(session).catch(() => {}); // it keeps no other from being removed
    }
  }

  async #sweepStart(session: string): Promise<void> {
    const state = await findStartState(this.#journal, session, this.#markerFile(session));
    if (state === "in-progress") return;
    if (state === "abandoned") await discardSession(this.#journal, session, this.#home.sessionFolder(session));
    this.finish(session);
  }

  #markerFile(session: string): string {
    return join(this.#home.startsFolder, session);
  }

  #track(task: Promise<unknown>): void {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }
}
