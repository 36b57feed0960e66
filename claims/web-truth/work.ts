import { setTimeout as wait } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import type { Truth } from "./truth.ts";

/** What a round changes, and whether the journals have all of it. */
export interface RoundWork {
  /** Begins the changes, which agents finish alone in about a second. */
  begin(round: number): Promise<void>;
  readonly isDone: () => Promise<boolean>;
}

/** The sessions of the bench: one whose timeline is read, and others that ask, begin and end. */
export class Work implements RoundWork {
  readonly sessions: string[] = [];
  readonly #fairlead: Fairlead;
  readonly #truth: Truth;
  readonly #folder: string;
  #expected: (() => Promise<boolean>)[] = [];

  constructor(fairlead: Fairlead, truth: Truth, folder: string) {
    this.#fairlead = fairlead;
    this.#truth = truth;
    this.#folder = folder;
  }

  /** The session whose timeline is compared. */
  get main(): string {
    return this.sessions[0] ?? "";
  }

  async prepare(): Promise<void> {
    await this.#start("full-auto", speech("the beginning", true));
    for (let at = 0; at < 3; at++) await this.#start("default", at === 0 ? question(0) : speech(`asker ${at}`));
    while (!(await this.isDone())) await wait(50);
  }

  async begin(round: number): Promise<void> {
    this.#expected = [];
    await this.#send(this.main, speech(`round ${round}`, true), "turn ended");
    for (const session of this.sessions.slice(1, 4)) {
      const { openDecisions } = await this.#truth.readSession(session);
      const [decision] = openDecisions;
      if (decision === undefined) await this.#send(session, question(round), "asked");
      else {
        await this.#fairlead.answer(session, decision, { type: "deny", message: "no", interrupt: false });
        this.#expected.push(async () => (await this.#truth.readSession(session)).state === "idle");
      }
    }
    if (round % 3 !== 0) return;
    const newest = await this.#start("default", speech(`session of round ${round}`));
    const oldest = this.sessions[4];
    if (oldest === undefined || oldest === newest) return;
    if ((await this.#truth.readSession(oldest)).state === "ended") return;
    await this.#fairlead.stop(oldest);
    this.#expected.push(async () => (await this.#truth.readSession(oldest)).state === "ended");
  }

  readonly isDone = async (): Promise<boolean> => {
    for (const isDone of this.#expected) if (!(await isDone())) return false;
    return true;
  };

  async #start(mode: "default" | "full-auto", prompt: string): Promise<string> {
    const { session } = await this.#fairlead.start({ workspace: this.#folder, agent: "scripted", mode, prompt });
    this.sessions.push(session);
    const isAsking = prompt.includes('"run"');
    this.#expected.push(async () => {
      const { state, last } = await this.#truth.readSession(session);
      return last > 2 && state === (isAsking ? "waiting" : "idle");
    });
    return session;
  }

  async #send(session: string, text: string, until: "turn ended" | "asked"): Promise<void> {
    const { last } = await this.#truth.readSession(session);
    await this.#fairlead.send(session, text);
    const type = until === "asked" ? "decision.requested" : "turn.ended";
    this.#expected.push(async () =>
      (await this.#truth.read(session)).some(({ sequence, body }) => sequence > last && body.type === type),
    );
  }
}

/** Writes a file only in the session that may do so without asking. */
function speech(words: string, isMain = false): string {
  return withScript(`Tell of ${words}.`, [
    { delay: 300, think: "Think.", text: `This is said of ${words}, slowly.`, chunks: 6, chunkDelay: 40 },
    ...(isMain ? [{ tools: [{ name: "write", input: { path: "told.txt", content: words } }] }] : []),
    { text: `All of ${words} was told.`, chunks: 4, chunkDelay: 40 },
  ]);
}

function question(round: number): string {
  return withScript(`Ask in round ${round}.`, [
    { delay: 300, text: "One moment.", tools: [{ name: "run", input: { command: `touch ${round}.txt` } }] },
  ]);
}
