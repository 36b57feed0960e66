import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Note } from "@fairlead/contract";
import type { Adapter, AgentEventType, Capability, Conversation, Delta } from "@fairlead/contract";
import type { Event, EventOf, SpoolRecord } from "@fairlead/contract";
import { spoolFolder, SpoolReader } from "@fairlead/keeper";
import { Home, Runtime, type Session, type StartOptions } from "@fairlead/runtime";
import type { ModelStep, Stage } from "./stage.ts";

/** Long enough for the slowest agent on a busy machine; reached only when something is wrong. */
const usualPatience = 60_000;

/** One session on a stage, with everything that was heard of it. */
export class Rehearsal implements AsyncDisposable {
  readonly adapter: Adapter;
  readonly stage: Stage;
  readonly workspace: string;
  readonly told: (Event | Delta)[] = [];
  readonly #home: Home;
  readonly #runtime: Runtime;
  #session: Session | undefined;
  #news = Promise.withResolvers<void>();
  #over = false;

  private constructor(adapter: Adapter, stage: Stage, folder: string, home: Home, runtime: Runtime) {
    this.adapter = adapter;
    this.stage = stage;
    this.workspace = join(folder, "workspace");
    this.#home = home;
    this.#runtime = runtime;
  }

  static async open(adapter: Adapter, stage: Stage, folder: string): Promise<Rehearsal> {
    mkdirSync(join(folder, "workspace"), { recursive: true });
    const home = new Home(join(folder, "home"));
    const { environment } = stage;
    return new Rehearsal(adapter, stage, folder, home, await Runtime.open({ home, adapters: [adapter], environment }));
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("The session has not been started.");
    return this.#session;
  }

  /** How long any one thing may take, in milliseconds. */
  get patience(): number {
    return Math.max(usualPatience, this.stage.patience);
  }

  declares(capability: Capability): boolean {
    return this.adapter.manifest.capabilities.includes(capability);
  }

  /** How long a process of this session lives. */
  get life(): Conversation["life"] {
    const note = Note.parse(JSON.parse(Buffer.from(this.records[0]?.bytes ?? []).toString("utf8")));
    if (note.type !== "opening") throw new Error("A spool begins with its opening.");
    return this.adapter.open(note.opening).life;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  get events(): Event[] {
    return this.told.filter((one) => "body" in one);
  }

  deltas(type: Delta["type"]): Delta[] {
    return this.told.filter((one) => "type" in one).filter((delta) => delta.type === type);
  }

  /** What was said in the spool, for recordings and for folding again. */
  get records(): SpoolRecord[] {
    if (this.#session === undefined) return [];
    const reader = new SpoolReader(spoolFolder(this.#home.session(this.#session.id)));
    const records: SpoolRecord[] = [];
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
    return records;
  }

  async start(options: Partial<StartOptions> = {}): Promise<Session> {
    const settings = { ...this.stage.settings, ...(options.settings as object | undefined) };
    const { adapter, workspace } = this;
    const mode = this.stage.mode === undefined ? {} : { mode: this.stage.mode };
    this.#session = await this.#runtime.start({
      ...mode,
      ...options,
      agent: adapter.manifest.id,
      workspace,
      settings,
    });
    this.#follow(this.#session, 0);
    return this.#session;
  }

  /** Lets go of the session as if this process had ended, and takes it up again as another would. */
  async resume(): Promise<void> {
    const { id } = this.session;
    await this.session[Symbol.asyncDispose]();
    await this.until(() => this.#over, "the end of what the former driver told").catch(() => {});
    this.#session = await this.#runtime.resume(id);
    // What continues an ended session is a session of its own, with a journal of its own.
    if (this.#session.id !== id) this.told.length = 0;
    this.#follow(this.#session, this.events.at(-1)?.sequence ?? 0);
  }

  /** Goes on in a fork of the session, and gives the session that it was forked from, which is left as it is. */
  async fork(): Promise<Session> {
    const original = this.session;
    this.#session = await this.#runtime.fork(original.id);
    this.told.length = 0;
    this.#follow(this.#session, 0);
    return original;
  }

  /** Sends the message upon which the agent will go through these steps. */
  async play(...steps: ModelStep[]): Promise<string> {
    const prompt = this.stage.prompt(steps, this.workspace);
    if (prompt === null) throw new Error("The stage cannot put the agent into this situation.");
    await this.session.send(prompt);
    return prompt;
  }

  all<Type extends AgentEventType>(type: Type): EventOf<Type>[] {
    return this.events.map((event) => event.body).filter((body): body is EventOf<Type> => body.type === type);
  }

  /** The nth event of a type, waiting for it if need be. */
  async the<Type extends AgentEventType>(type: Type, nth = 1): Promise<EventOf<Type>> {
    await this.until(() => this.all(type).length >= nth, `${type}, for the ${nth}. time`);
    return this.all(type)[nth - 1] as EventOf<Type>;
  }

  /** Waits for a fact; fails if the session is over, or patience runs out, before it has come about. */
  async until(isSo: () => boolean, what: string): Promise<void> {
    const { patience } = this;
    const timeout = AbortSignal.timeout(patience);
    const late = new Promise<void>((resolve) => timeout.addEventListener("abort", () => resolve(), { once: true }));
    while (!isSo()) {
      if (this.#over) throw new Error(`The session was over before this came about: ${what}.`);
      if (timeout.aborted) throw new Error(`This did not come about in ${patience / 1000} s: ${what}.`);
      await Promise.race([this.#news.promise, late]);
    }
  }

  /** Ends the session, if there is one that has not ended yet, and waits until it has. */
  async end(): Promise<void> {
    if (this.#session === undefined || this.#over) return;
    if (!this.session.state.ledger.over) await this.session.end();
    await this.the("session.ended");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch(() => {});
    await this.#runtime[Symbol.asyncDispose]();
  }

  #follow(session: Session, after: number): void {
    this.#over = false;
    const take = async (): Promise<void> => {
      for await (const one of session.stream(after)) {
        if (this.#session !== session) return;
        this.told.push(one);
        this.#wake();
      }
    };
    void take()
      .catch(() => {})
      .then(() => {
        if (this.#session === session) this.#over = true;
        this.#wake();
      });
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
