import { readFileSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { processesOf } from "../../packages/conformance/src/processes.ts";
import type { Audience } from "./audience.ts";

/** How far a session is: what its agent has written, in bytes, and the events that are stored and that were shown. */
export interface Sight {
  readonly written: number;
  readonly stored: number;
  readonly shown: number;
}

/** Looks at a session from outside, without asking those who drive it. Its agent must be running. */
export class Outlook {
  readonly #session: string;
  readonly #journal: Journal;
  readonly #audience: Audience;
  readonly #agents: readonly number[];

  constructor(session: string, journal: Journal, audience: Audience) {
    this.#session = session;
    this.#journal = journal;
    this.#audience = audience;
    this.#agents = processesOf(session).map(({ pid }) => pid);
  }

  /** What the agent's processes have handed to the kernel, by the kernel's own count. */
  get written(): number {
    return this.#agents
      .map((pid) => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]))
      .reduce((sum, bytes) => sum + bytes, 0);
  }

  async sight(): Promise<Sight> {
    const { last } = await this.#journal.tail(this.#session);
    return { written: this.written, stored: last, shown: this.#audience.shown.length };
  }

  /** Whether the journal cannot be written, found out by writing to a session that is nobody's. */
  async isRefused(): Promise<boolean> {
    try {
      await this.#journal.claim("nobody's", "disk-full");
      return false;
    } catch (error) {
      if (FairleadError.is(error, "unavailable")) return true;
      throw error;
    }
  }
}
