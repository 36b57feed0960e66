import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { type Claim, openSqliteLog, type SqliteLog } from "@fairlead/journal";
import { type ServeHttpOptions, type HttpService, serveHttp } from "../../../server/src/http/serve-http.ts";
import { AccessTokens } from "../../../server/src/http/access/access-tokens.ts";

/**
 * A real server over a real journal with one session that the test writes. For tests of the transport, which must
 * control when each event is written. Tests of session behavior use real agents instead.
 */
export class TestServer implements AsyncDisposable {
  readonly folder: string;
  readonly session = "test-session";
  readonly tokens: AccessTokens;
  readonly fairlead: Fairlead;
  /** The number of calls to the interface. */
  calls = 0;
  /** The number of open event readers. */
  activeReaders = 0;
  /** The number of events read from the journal. */
  eventsRead = 0;
  readonly #log: SqliteLog;
  readonly #claim: Claim;
  readonly #services = new AsyncDisposableStack();
  #lastSequence = 0;
  #fence: bigint;

  private constructor(folder: string, log: SqliteLog, claim: Claim) {
    this.folder = folder;
    this.tokens = new AccessTokens(new FileTokenStore(join(folder, "tokens.json")));
    this.#log = log;
    this.#claim = claim;
    this.#fence = claim.fence;
    this.fairlead = this.#createFairlead();
  }

  static async open(): Promise<TestServer> {
    const folder = mkdtempSync(join(tmpdir(), "http-"));
    const log = await openSqliteLog({ file: join(folder, "journal.db") });
    return new TestServer(folder, log, await log.claim("test-session", "test"));
  }

  get socket(): string {
    return join(this.folder, "run", "fairlead.sock");
  }

  async serve(options: Partial<ServeHttpOptions>): Promise<HttpService> {
    return this.#services.use(await serveHttp({ fairlead: this.fairlead, tokens: this.tokens, ...options }));
  }

  /** Writes `count` events, each with a text of `length` characters. */
  async appendEvents(count: number, length = 10): Promise<void> {
    await this.#append(Array.from({ length: count }, () => ({ type: "text.ended", text: "x".repeat(length) })));
  }

  async endSession(): Promise<void> {
    await this.#append([{ type: "session.ended", reason: "stopped", exit: null }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#services.disposeAsync();
    await this.#log[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #append(bodies: readonly Event["body"][]): Promise<void> {
    const { epoch } = this.#claim;
    const first = this.#lastSequence + 1;
    const events = bodies.map((body, index) => Buffer.from(JSON.stringify(this.#event(body, first + index))));
    this.#lastSequence += bodies.length;
    this.#fence = await this.#log.append({ session: this.session, epoch, first, events, owner: "test" }, this.#fence);
  }

  #event(body: Event["body"], sequence: number): Event {
    const { session } = this;
    const envelope = { session, sequence, epoch: 1, turn: null, agent: "scripted", model: null, spool: sequence };
    return { id: `${session}-${sequence}`, ...envelope, occurredAt: new Date(0).toISOString(), synthetic: false, body };
  }

  #createFairlead(): Fairlead {
    const implemented: Partial<Fairlead> = {
      health: async () => ({}) as Awaited<ReturnType<Fairlead["health"]>>,
      sessions: async () => ({ sessions: [], next: null, pending: 0 }),
      session: async () =>
        ({ session: this.session, last: this.#lastSequence }) as Awaited<ReturnType<Fairlead["session"]>>,
      send: async (_, text, options) => ({ turn: `${text} ${options?.key ?? "no key"}` }),
      events: (_, { after = 0, follow = false, signal } = {}) => this.#events(after, follow, signal),
    };
    return new Proxy(implemented as Fairlead, {
      get: (target, name: keyof Fairlead) => {
        this.calls += 1;
        return target[name];
      },
    });
  }

  async *#events(after: number, follow: boolean, signal = new AbortController().signal): AsyncGenerator<Event> {
    const { session } = this;
    const batches = follow ? this.#log.watch(session, after, signal) : this.#log.read(session, after);
    this.activeReaders += 1;
    using _ = { [Symbol.dispose]: () => (this.activeReaders -= 1) };
    for await (const batch of batches) {
      for (const bytes of batch.events) {
        const event = JSON.parse(Buffer.from(bytes).toString()) as Event;
        this.eventsRead += 1;
        yield event;
        if (event.body.type === "session.ended") return;
      }
    }
  }
}
