import { readFileSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { listSessionProcesses } from "../../packages/conformance/src/session-processes.ts";
import type { SessionWatcher } from "./session-watcher.ts";

/** The progress of a session: bytes written by its agent, events stored, events shown. */
export interface SessionProgress {
  readonly written: number;
  readonly stored: number;
  readonly shown: number;
}

/** Observes a session from outside its runtime. The agent must be running. */
export class SessionObserver {
  readonly #session: string;
  readonly #journal: Journal;
  readonly #watcher: SessionWatcher;
  readonly #agents: readonly number[];

  constructor(session: string, journal: Journal, watcher: SessionWatcher) {
    this.#session = session;
    this.#journal = journal;
    this.#watcher = watcher;
    this.#agents = listSessionProcesses(session).map(({ pid }) => pid);
  }

  /** The bytes that the agent's processes have written, as counted by the kernel. */
  get written(): number {
    return this.#agents
      .map((pid) => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]))
      .reduce((sum, bytes) => sum + bytes, 0);
  }

  async readProgress(): Promise<SessionProgress> {
    const { last } = await this.#journal.tail(this.#session);
    return { written: this.written, stored: last, shown: this.#watcher.shownEvents.length };
  }

  /** Whether an append to an unused session fails. */
  async isJournalRefusing(): Promise<boolean> {
    try {
      await this.#journal.claim("nobody's", "disk-full");
      return false;
    } catch (error) {
      if (FairleadError.is(error, "unavailable")) return true;
      throw error;
    }
  }
}
