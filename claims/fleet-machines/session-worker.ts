import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import { FairleadError, type Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { SessionFollower } from "../daemon/session-follower.ts";

export interface SessionWorkerOptions {
  readonly fairlead: Fairlead;
  readonly session: string;
  /** Whether the session works in a clone of a repository. */
  readonly hasClone: boolean;
  /** The folder for what the agent writes with `work.pl`. */
  readonly records: string;
  readonly random: SeededRandom;
}

/** A message and what became of it. Times are those of `performance.now()`. */
export interface SentMessage {
  /** Unique among all sessions. */
  readonly id: string;
  readonly sentAt: number;
  /** Its turn; undefined if it was not accepted, or if that is unknown. */
  turn?: string;
  /** The codes of the answers before the last. */
  readonly errors: string[];
  endedAt?: number;
  outcome?: string;
  /** The last error of its turn. */
  failure?: string;
  /** The machine on which the agent did what it says. */
  host?: string;
}

export const workProgram = fileURLToPath(new URL("work.pl", import.meta.url));
/** Milliseconds after a gateway has refused a command for now. */
const retryPause = 250;
/** Milliseconds for the turn of an accepted message. */
const turnLimit = 150_000;

/**
 * Sends messages to a session, one after the other, and waits for the turn of each. A message that is refused for now is sent
 * again with the same key.
 */
export class SessionWorker {
  readonly session: string;
  readonly hasClone: boolean;
  readonly messages: SentMessage[] = [];
  readonly follower: SessionFollower;
  readonly #options: SessionWorkerOptions;
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;
  #seen = 0;

  constructor(options: SessionWorkerOptions) {
    this.#options = options;
    this.session = options.session;
    this.hasClone = options.hasClone;
    this.follower = new SessionFollower(options.fairlead, options.session);
    this.#working = this.#work();
    this.#working.catch(() => {}); // reported by `finish`
  }

  /** The first message after a moment that the agent carried out, on another machine than that if one is passed. */
  findAnswer(since: number, except?: string): SentMessage | undefined {
    return this.messages.find(
      ({ endedAt = 0, outcome, host }) => endedAt > since && outcome === "completed" && host !== except,
    );
  }

  /** Lets the turn of the last message end, and sends no more. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  /** Describes the last message, for an error. */
  describe(): string {
    const newest = this.follower.events.slice(-12).map(({ body }) => JSON.stringify(body).slice(0, 300));
    return [this.session, JSON.stringify(this.messages.at(-1)), ...newest].join("\n  ");
  }

  /** Throws if the worker has failed. */
  async check(): Promise<void> {
    await Promise.race([this.#working, Promise.resolve()]);
  }

  async #work(): Promise<void> {
    const { random } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const message: SentMessage = {
        id: `${this.session}:${this.messages.length + 1}`,
        sentAt: performance.now(),
        errors: [],
      };
      this.messages.push(message);
      await this.#send(message, random.nextBelow(800) / 1000);
      if (message.turn !== undefined) await this.#awaitTurn(message, message.turn);
      await delay(200 + random.nextBelow(800), undefined, { signal }).catch(() => {});
    }
  }

  async #send(message: SentMessage, seconds: number): Promise<void> {
    const { fairlead, session, records } = this.#options;
    const key = randomUUID();
    const command = `perl ${workProgram} ${records} ${session} ${message.id} ${seconds}`;
    const text = withScript(message.id, [{ text: "I work." }, { tools: [{ name: "run", input: { command } }] }]);
    for (;;) {
      try {
        message.turn = (await fairlead.send(session, text, { key })).turn;
        return;
      } catch (error) {
        if (!FairleadError.isInstance(error)) throw error;
        message.errors.push(error.code);
        // With its key it is carried out at most once, whatever became of the first attempt.
        if (error.code !== "unavailable" && error.code !== "indeterminate") throw error;
        await delay(retryPause);
      }
    }
  }

  async #awaitTurn(message: SentMessage, turn: string): Promise<void> {
    const isEnd = ({ body }: Event): boolean => body.type === "turn.ended" && body.turn === turn;
    const late = new AbortController();
    const limit = delay(turnLimit, null, { signal: late.signal }).catch(() => null);
    const end = await Promise.race([this.follower.waitForEvent(isEnd, this.#seen), limit]);
    late.abort();
    if (end === null) throw new Error(`The turn ${turn} of message ${message.id} has not ended:\n${this.describe()}`);
    const events = this.follower.events.slice(this.#seen, end);
    this.#seen = end;
    message.endedAt = performance.now();
    const last = events.at(-1)?.body;
    if (last?.type === "turn.ended") message.outcome = last.outcome;
    const failure = events.findLast(({ body }) => body.type === "error.raised")?.body;
    if (failure?.type === "error.raised") message.failure = failure.message;
    const outputs = events.flatMap(({ body }) => (body.type === "tool.ended" ? [body.output] : []));
    const host = new RegExp(`did ${message.id} on (\\S+)`).exec(outputs.join("\n"))?.[1];
    if (host !== undefined) message.host = host;
  }
}
