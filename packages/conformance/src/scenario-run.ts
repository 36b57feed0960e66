import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Note } from "@fairlead/contract";
import type { Adapter, AgentEventType, Capability, Conversation, Delta } from "@fairlead/contract";
import type { Event, EventOf, Sandbox, SpoolRecord } from "@fairlead/contract";
import { spoolFolder, SpoolReader } from "@fairlead/keeper";
import { Home, Runtime, type RuntimeOptions, type Session, type StartOptions } from "@fairlead/runtime";
import { JudgeTool } from "./judge-tool.ts";
import type { ModelStep, TestBench } from "./test-bench.ts";

/** Milliseconds. Long enough for the slowest agent on a busy machine, so that only a defect reaches it. */
const defaultTimeout = 60_000;

/** One session on a test bench, with all the output that it has emitted. */
export class ScenarioRun implements AsyncDisposable {
  readonly adapter: Adapter;
  readonly bench: TestBench;
  readonly workspace: string;
  readonly outputs: (Event | Delta)[] = [];
  /** The tool that a scenario may offer. */
  readonly tool: JudgeTool;
  readonly #home: Home;
  readonly #runtime: Runtime;
  #session: Session | undefined;
  /** Requests for hosts that the bench does not have. The scenarios are about what the agent asks. */
  readonly #networkDecisions = new Set<string>();
  #outputArrived = Promise.withResolvers<void>();
  #streamEnded = false;

  private constructor(
    adapter: Adapter,
    bench: TestBench,
    folder: string,
    { home, runtime, tool }: { readonly home: Home; readonly runtime: Runtime; readonly tool: JudgeTool },
  ) {
    this.adapter = adapter;
    this.tool = tool;
    this.bench = bench;
    this.workspace = join(folder, "workspace");
    this.#home = home;
    this.#runtime = runtime;
  }

  static async open(
    adapter: Adapter,
    bench: TestBench,
    folder: string,
    options: Partial<Pick<Sandbox, "kind" | "network">> & Pick<RuntimeOptions, "defaultPolicy"> = {},
  ): Promise<ScenarioRun> {
    const { kind: sandbox = "none", network = "open", defaultPolicy = false } = options;
    const workspace = join(folder, "workspace");
    mkdirSync(workspace, { recursive: true });
    const home = new Home(join(folder, "home"));
    const { environment, services = [] } = bench;
    // An agent can have the address in a file of its own, which opens no gate.
    const forwards = services.map((url) => Number(new URL(url).port));
    if (network === "gate") writeUserConfig(home, { sandbox: { [realpathSync(workspace)]: { forwards } } });
    const tool = new JudgeTool();
    const tools = [tool.tool];
    const runtime = await Runtime.open({
      home,
      adapters: [adapter],
      environment,
      sandbox,
      network,
      defaultPolicy,
      tools,
    });
    return new ScenarioRun(adapter, bench, folder, { home, runtime, tool });
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("The scenario has no session: call start() first.");
    return this.#session;
  }

  /** The longest time that any single wait may take, in milliseconds. */
  get waitTimeout(): number {
    return Math.max(defaultTimeout, this.bench.turnTimeout);
  }

  declares(capability: Capability): boolean {
    return this.adapter.manifest.capabilities.includes(capability);
  }

  /** Whether the agent's process lives for the session or for one turn. */
  get processLifetime(): Conversation["processLifetime"] {
    const note = Note.parse(JSON.parse(Buffer.from(this.records[0]?.bytes ?? []).toString("utf8")));
    if (note.type !== "opening") throw new Error("The spool is invalid: its first record is not an opening.");
    return this.adapter.open(note.opening).processLifetime;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  get events(): Event[] {
    return this.outputs.filter((output) => "body" in output);
  }

  deltasOfType(type: Delta["type"]): Delta[] {
    return this.outputs.filter((output) => "type" in output).filter((delta) => delta.type === type);
  }

  /** All records of the session's spool, for recordings and for replay checks. */
  get records(): SpoolRecord[] {
    if (this.#session === undefined) return [];
    const reader = new SpoolReader(spoolFolder(this.#home.sessionFolder(this.#session.id)));
    const records: SpoolRecord[] = [];
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
    return records;
  }

  async start(options: Partial<StartOptions> = {}): Promise<Session> {
    const settings = { ...this.bench.settings, ...(options.settings as object | undefined) };
    const { adapter, workspace } = this;
    const modeOption = this.bench.mode === undefined ? {} : { mode: this.bench.mode };
    this.#session = await this.#runtime.start({
      ...modeOption,
      ...options,
      agent: adapter.manifest.id,
      workspace,
      settings,
    });
    this.#collectOutputs(this.#session, 0);
    return this.#session;
  }

  /** Disposes the session object as if this process had exited, then resumes the session as another process would. */
  async resume(): Promise<void> {
    const { id } = this.session;
    await this.session[Symbol.asyncDispose]();
    await this.waitUntil(() => this.#streamEnded, "the end of the disposed session's stream").catch(() => {});
    this.#session = await this.#runtime.resume(id);
    // Resuming an ended session starts a new session with its own journal.
    if (this.#session.id !== id) this.outputs.length = 0;
    this.#collectOutputs(this.#session, this.events.at(-1)?.sequence ?? 0);
  }

  /** Forks the session and continues in the fork. Returns the original session, which stays open. */
  async fork(): Promise<Session> {
    const original = this.session;
    this.#session = await this.#runtime.fork(original.id);
    this.outputs.length = 0;
    this.#collectOutputs(this.#session, 0);
    return original;
  }

  /** Sends the prompt that makes the agent perform these steps. Returns the prompt. */
  async runSteps(...steps: ModelStep[]): Promise<string> {
    const prompt = this.bench.buildPrompt(steps, this.workspace);
    if (prompt === null) throw new Error("The scenario cannot run: the test bench has no prompt for these steps.");
    await this.session.send(prompt);
    return prompt;
  }

  eventsOfType<Type extends AgentEventType>(type: Type): EventOf<Type>[] {
    return this.events
      .map((event) => event.body)
      .filter((body): body is EventOf<Type> => body.type === type)
      .filter((body) => !("decision" in body && this.#networkDecisions.has(body.decision)));
  }

  /** Waits for the nth event of a type and returns it. */
  async waitForEvent<Type extends AgentEventType>(type: Type, nth = 1): Promise<EventOf<Type>> {
    await this.waitUntil(() => this.eventsOfType(type).length >= nth, nth === 1 ? type : `${type} number ${nth}`);
    return this.eventsOfType(type)[nth - 1] as EventOf<Type>;
  }

  /** Waits until a condition is true. Throws if the session ends or `waitTimeout` passes first. */
  async waitUntil(condition: () => boolean, description: string): Promise<void> {
    const { waitTimeout } = this;
    const timeout = AbortSignal.timeout(waitTimeout);
    const timedOut = new Promise<void>((resolve) => timeout.addEventListener("abort", () => resolve(), { once: true }));
    while (!condition()) {
      if (this.#streamEnded) throw new Error(`The session ended while waiting for ${description}.`);
      if (timeout.aborted) throw new Error(`Waiting for ${description} timed out after ${waitTimeout / 1000} s.`);
      await Promise.race([this.#outputArrived.promise, timedOut]);
    }
  }

  /** Ends the session if it is open, and waits until it has ended. */
  async end(): Promise<void> {
    if (this.#session === undefined || this.#streamEnded) return;
    if (!this.session.state.ledger.over) await this.session.end();
    await this.waitForEvent("session.ended");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch(() => {});
    await this.#runtime[Symbol.asyncDispose]();
  }

  /** Answers a request for a host, which would otherwise wait for a minute. */
  #denyConnection(session: Session, output: Event | Delta): void {
    if (!("body" in output) || output.body.type !== "decision.requested" || output.body.kind !== "network") return;
    this.#networkDecisions.add(output.body.decision);
    const answer = { type: "deny", message: "", interrupt: false } as const;
    void session.answer(output.body.decision, answer).catch(() => {}); // the turn has ended
  }

  #collectOutputs(session: Session, after: number): void {
    this.#streamEnded = false;
    const collect = async (): Promise<void> => {
      for await (const output of session.stream(after)) {
        if (this.#session !== session) return;
        this.#denyConnection(session, output);
        this.outputs.push(output);
        this.#notifyWaiters();
      }
    };
    void collect()
      .catch(() => {})
      .then(() => {
        if (this.#session === session) this.#streamEnded = true;
        this.#notifyWaiters();
      });
  }

  #notifyWaiters(): void {
    this.#outputArrived.resolve();
    this.#outputArrived = Promise.withResolvers();
  }
}

/**
 * Waits for the first text delta after the earlier ones. For an agent that does not stream, waits until the model request
 * contains the prompt.
 */
export async function waitUntilModelResponds(run: ScenarioRun, prompt: string, earlierDeltas = 0): Promise<void> {
  if (run.declares("streaming")) {
    return await run.waitUntil(() => run.deltasOfType("text.delta").length > earlierDeltas, "a delta");
  }
  await run.waitForEvent("turn.started");
  const wasPrompted = async (): Promise<boolean> =>
    (await run.bench.readModelContext?.())?.includes(prompt.slice(0, 20)) ?? true;
  const deadline = AbortSignal.timeout(run.waitTimeout);
  while (!(await wasPrompted())) await wait(20, undefined, { signal: deadline });
}

function writeUserConfig({ folder, configFile }: Home, config: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(configFile, JSON.stringify(config));
}
