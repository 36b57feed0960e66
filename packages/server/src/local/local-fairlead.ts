import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type {
  AgentView,
  Checkpoint,
  CommandOptions,
  DecisionView,
  Diff,
  Fairlead,
  FileView,
  Fork,
  Health,
  ReadingOptions,
  Resume,
  SessionView,
  Start,
  UsageView,
} from "@fairlead/api";
import {
  FairleadError,
  type Adapter,
  type Answer,
  type Delta,
  type Event,
  type TerminalSize,
} from "@fairlead/contract";
import {
  nameOfKey,
  Runtime,
  Sessions,
  type Asked,
  type Environment,
  type Home,
  type Recovered,
} from "@fairlead/runtime";
import type { Observer } from "../watch/observer.ts";
import { Doing, type Act } from "./doing.ts";
import { follow } from "./follow.ts";
import { healthOf } from "./health-of.ts";
import { Looking } from "./looking.ts";
import { Receipts, type Command } from "./receipts.ts";

export interface LocalFairleadOptions {
  readonly home: Home;
  readonly adapters: readonly Adapter[];
  /** What agents may be given of; `process.env` unless told. */
  readonly environment?: Environment;
  /** The agent when nobody says which; the first there is unless told. */
  readonly fallback?: string;
  /** Whether a workspace's `fairlead.yaml` is trusted with all that it sets; none is unless told. */
  readonly trusts?: Asked["trusts"];
  /** Whether the judge has ever seen an agent work; all are believed to unless told. */
  readonly verified?: (agent: string) => boolean;
  /** What `health` says of who this is; `embedded` unless told. */
  readonly version?: string;
  /** Told of every event of the sessions that are driven here. */
  readonly observer?: Observer;
}

/** Fairlead in this process. Disposing lets go of all sessions and stops none. */
export class LocalFairlead implements Fairlead, AsyncDisposable {
  /** What became of the sessions that were left running by whoever was here before. */
  readonly recovered: Promise<Recovered>;
  readonly #runtime: Runtime;
  readonly #sessions: Sessions;
  readonly #receipts: Receipts;
  readonly #looking: Looking;
  readonly #doing: Doing;
  readonly #version: string;
  readonly #startedAt = new Date().toISOString();
  readonly #closing = new AbortController();

  private constructor(options: LocalFairleadOptions, runtime: Runtime) {
    const {
      environment = process.env,
      fallback = options.adapters[0]?.manifest.id ?? "",
      verified = () => true,
      trusts = () => false,
    } = options;
    const sessions = new Sessions(runtime);
    const looking = new Looking({ runtime, sessions, verified });
    this.#runtime = runtime;
    this.#sessions = sessions;
    this.#receipts = new Receipts(join(options.home.folder, "receipts.db"));
    this.#looking = looking;
    this.#doing = new Doing({ runtime, sessions, looking, environment, fallback, trusts });
    this.#version = options.version ?? "embedded";
    this.recovered = sessions.recover();
    this.recovered.catch(() => {}); // whoever is interested is told
  }

  static async open(options: LocalFairleadOptions): Promise<LocalFairlead> {
    const { home, adapters, environment = process.env, observer } = options;
    const telling = observer && { journaled: (event: Event) => observer.saw(event) };
    await using opened = new AsyncDisposableStack();
    const runtime = opened.use(await Runtime.open({ home, adapters, environment, spares: true, ...telling }));
    const fairlead = new LocalFairlead(options, runtime);
    opened.move();
    return fairlead;
  }

  async health(): Promise<Health> {
    return healthOf(await this.#looking.sessions(), { version: this.#version, startedAt: this.#startedAt });
  }

  async agents(): Promise<readonly AgentView[]> {
    return await this.#looking.agents();
  }

  async sessions(): Promise<readonly SessionView[]> {
    return await this.#looking.sessions();
  }

  async session(session: string): Promise<SessionView> {
    return await this.#looking.session(await this.#find(session));
  }

  async *events(session: string, options: ReadingOptions = {}): AsyncGenerator<Event | Delta> {
    const id = await this.#find(session);
    const { after = 0, deltas = false } = options;
    if (options.follow !== true) return yield* this.#runtime.events(id, after);
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    const parts = { runtime: this.#runtime, sessions: this.#sessions };
    for await (const one of follow(parts, id, after, signal)) if (deltas || "body" in one) yield one;
    if (this.#closing.signal.aborted) throw new FairleadError("unavailable", "The service is closing.");
  }

  start(order: Start, options?: CommandOptions): Promise<SessionView> {
    return this.#once(["start", order], null, options, (_, act) => this.#doing.start(order, act));
  }

  send(session: string, text: string, options?: CommandOptions): Promise<{ readonly turn: string }> {
    return this.#once(["send", session, text], session, options, (id, act) => this.#doing.send(id, text, act));
  }

  steer(session: string, text: string, options?: CommandOptions): Promise<void> {
    return this.#once(["steer", session, text], session, options, (id, act) => this.#doing.steer(id, text, act));
  }

  inject(session: string, text: string, options?: CommandOptions): Promise<void> {
    return this.#once(["inject", session, text], session, options, (id, act) => this.#doing.inject(id, text, act));
  }

  answer(session: string, decision: string, answer: Answer, options?: CommandOptions): Promise<void> {
    const command = ["answer", session, decision, answer];
    return this.#once(command, session, options, (id, act) => this.#doing.answer(id, decision, answer, act));
  }

  interrupt(session: string, options?: CommandOptions): Promise<void> {
    return this.#once(["interrupt", session], session, options, (id, act) => this.#doing.interrupt(id, act));
  }

  pause(session: string, options?: CommandOptions): Promise<Checkpoint> {
    return this.#once(["pause", session], session, options, (id, act) => this.#doing.pause(id, act));
  }

  async checkpoint(session: string): Promise<Checkpoint> {
    return await this.#looking.checkpoint(await this.#find(session));
  }

  resume(session: string, order: Resume = {}, options?: CommandOptions): Promise<SessionView> {
    return this.#once(["resume", session, order], session, options, (id, act) => this.#doing.resume(id, order, act));
  }

  fork(session: string, order: Fork = {}, options?: CommandOptions): Promise<SessionView> {
    return this.#once(["fork", session, order], session, options, (id, act) => this.#doing.fork(id, order, act));
  }

  stop(session: string, options?: CommandOptions): Promise<SessionView> {
    return this.#once(["stop", session], session, options, (id, act) => this.#doing.stop(id, act));
  }

  takeOver(session: string, size: TerminalSize, options?: CommandOptions): Promise<void> {
    const command = ["take-over", session, size];
    return this.#once(command, session, options, (id, act) => this.#doing.takeOver(id, size, act));
  }

  async type(session: string, text: string): Promise<void> {
    await (await this.#sessions.get(await this.#find(session))).type(text);
  }

  async resize(session: string, size: TerminalSize): Promise<void> {
    await (await this.#sessions.get(await this.#find(session))).resize(size);
  }

  handBack(session: string, options?: CommandOptions): Promise<void> {
    return this.#once(["hand-back", session], session, options, (id, act) => this.#doing.handBack(id, act));
  }

  forget(session: string, options?: CommandOptions): Promise<void> {
    return this.#once(["forget", session], session, options, async (id) => {
      await this.#doing.forget(id);
      this.#receipts.forget(id);
    });
  }

  async decisions(): Promise<readonly DecisionView[]> {
    return await this.#looking.decisions();
  }

  async files(session: string): Promise<readonly FileView[]> {
    return await this.#looking.files(await this.#find(session));
  }

  async diff(session: string): Promise<Diff> {
    return await this.#looking.diff(await this.#find(session));
  }

  async usage(session?: string): Promise<readonly UsageView[]> {
    return await this.#looking.usage(session === undefined ? undefined : await this.#find(session));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.recovered.catch(() => {});
    await this.#sessions[Symbol.asyncDispose]();
    await this.#runtime[Symbol.asyncDispose]();
    this.#receipts[Symbol.dispose]();
  }

  async #find(session: string): Promise<string> {
    return this.#sessions.driven(session) === undefined ? await this.#runtime.find(session) : session;
  }

  /** Does a command once for each key. Without one it is a command of its own. */
  async #once<Result>(
    command: Command,
    session: string | null,
    { key, cautious = false, signal }: CommandOptions = {},
    act: (id: string, act: Act) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const name = key ?? randomUUID();
    const find = async (): Promise<string> => (session === null ? nameOfKey(name) : await this.#find(session));
    try {
      if (key === undefined) return await act(await find(), { key: name, again: false, cautious });
      const doing = (id: string, again: boolean): Promise<Result> => act(id, { key, again, cautious });
      return await this.#receipts.once(key, command, { session: find, act: doing });
    } catch (error) {
      if (FairleadError.isInstance(error)) throw error;
      throw new FairleadError("unavailable", (error as Error).message, { cause: error });
    }
  }
}
