import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { type Claim, openSqliteLog, type SqliteLog } from "@fairlead/journal";
import { type ServeOptions, type Service, serve } from "./serve.ts";
import { Tokens } from "./tokens.ts";

/**
 * A real journal with one session that the test itself writes, behind a real server: for what is about the wire, where
 * the test has to say when which event is written. What a session is like, tests with agents show.
 */
export class Ground implements AsyncDisposable {
  readonly folder: string;
  readonly session = "ground";
  readonly tokens: Tokens;
  readonly fairlead: Fairlead;
  /** How often the interface was called. */
  calls = 0;
  /** How many are being read to. */
  readers = 0;
  /** How many events were read for somebody. */
  read = 0;
  readonly #log: SqliteLog;
  readonly #claim: Claim;
  readonly #services = new AsyncDisposableStack();
  #last = 0;
  #fence: bigint;

  private constructor(folder: string, log: SqliteLog, claim: Claim) {
    this.folder = folder;
    this.tokens = new Tokens(join(folder, "tokens.json"));
    this.#log = log;
    this.#claim = claim;
    this.#fence = claim.fence;
    this.fairlead = this.#interface();
  }

  static async open(): Promise<Ground> {
    const folder = mkdtempSync(join(tmpdir(), "http-"));
    const log = await openSqliteLog({ file: join(folder, "journal.db") });
    return new Ground(folder, log, await log.claim("ground", "test"));
  }

  get socket(): string {
    return join(this.folder, "run", "fairlead.sock");
  }

  async serve(options: Partial<ServeOptions>): Promise<Service> {
    return this.#services.use(await serve({ fairlead: this.fairlead, tokens: this.tokens, ...options }));
  }

  /** Writes so many events, each with a text of that length. */
  async write(count: number, length = 10): Promise<void> {
    await this.#append(Array.from({ length: count }, () => ({ type: "text.ended", text: "x".repeat(length) })));
  }

  async end(): Promise<void> {
    await this.#append([{ type: "session.ended", reason: "stopped", exit: null }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#services.disposeAsync();
    await this.#log[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #append(bodies: readonly Event["body"][]): Promise<void> {
    const { epoch } = this.#claim;
    const first = this.#last + 1;
    const events = bodies.map((body, index) => Buffer.from(JSON.stringify(this.#event(body, first + index))));
    this.#last += bodies.length;
    this.#fence = await this.#log.append({ session: this.session, epoch, first, events, owner: "test" }, this.#fence);
  }

  #event(body: Event["body"], sequence: number): Event {
    const { session } = this;
    const envelope = { session, sequence, epoch: 1, turn: null, agent: "scripted", model: null, spool: sequence };
    return { id: `${session}-${sequence}`, ...envelope, occurredAt: new Date(0).toISOString(), synthetic: false, body };
  }

  #interface(): Fairlead {
    const known: Partial<Fairlead> = {
      health: async () => ({}) as Awaited<ReturnType<Fairlead["health"]>>,
      sessions: async () => [],
      session: async () => ({ session: this.session, last: this.#last }) as Awaited<ReturnType<Fairlead["session"]>>,
      send: async (_, text, options) => ({ turn: `${text} ${options?.key ?? "no key"}` }),
      events: (_, { after = 0, follow = false, signal } = {}) => this.#events(after, follow, signal),
    };
    return new Proxy(known as Fairlead, {
      get: (target, name: keyof Fairlead) => {
        this.calls += 1;
        return target[name];
      },
    });
  }

  async *#events(after: number, follow: boolean, signal = new AbortController().signal): AsyncGenerator<Event> {
    const { session } = this;
    const frames = follow ? this.#log.watch(session, after, signal) : this.#log.read(session, after);
    this.readers += 1;
    using _ = { [Symbol.dispose]: () => (this.readers -= 1) };
    for await (const frame of frames) {
      for (const bytes of frame.events) {
        const event = JSON.parse(Buffer.from(bytes).toString()) as Event;
        this.read += 1;
        yield event;
        if (event.body.type === "session.ended") return;
      }
    }
  }
}
