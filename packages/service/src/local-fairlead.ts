import { assertEventReadOptions, parseArguments } from "@fairlead/api";
import type {
  CallerOptions,
  DecisionView,
  EventReadOptions,
  Fairlead,
  Health,
  OverviewFrame,
  OverviewOptions,
} from "@fairlead/api";
import { FairleadError, type Delta, type ReadEvent, type TerminalSize } from "@fairlead/contract";
import type { TokenStore } from "@fairlead/engine";
import { submitPlan, submitReview } from "@fairlead/foreman";
import {
  HomeWatch,
  Runtime,
  type LeaveOptions,
  Sessions,
  type HomeProblem,
  type RecoveryReport,
  type RuntimeOptions,
  type ToolPrograms,
} from "@fairlead/runtime";
import { builtInTools } from "@fairlead/tools";
import type { CommandMethodsOptions } from "./command-methods.ts";
import { createDelegationTools, delegationTools } from "./delegation/delegation-tools.ts";
import { Delegation } from "./delegation/delegation.ts";
import { clipEvents } from "./reading/clip-events.ts";
import { followSession } from "./follow-session.ts";
import { IdempotencyStore } from "./idempotency-store.ts";
import { ParkedSessions } from "./parked-sessions.ts";
import { runtimeOptionsOf, type LocalFairleadOptions } from "./local-fairlead-options.ts";
import { OverviewHub } from "./overview/overview-hub.ts";
import { Queries } from "./queries.ts";
import { QueryMethods } from "./query-methods.ts";
import { defaultForemanSetup } from "./runs/default-foreman-setup.ts";
import { ForemanHost } from "./runs/foreman-host.ts";
import { RunCommands } from "./runs/run-commands.ts";
import { summarizeHealth } from "./summarize-health.ts";
import { wakeParkedSession } from "./wake-parked-session.ts";

/** Runs Fairlead in this process. Disposing it releases all sessions and stops none. */
export class LocalFairlead extends QueryMethods implements Fairlead, AsyncDisposable {
  /** The result of attaching to the sessions that the previous process left running. */
  readonly recovery: Promise<RecoveryReport>;
  readonly #runtime: Runtime;
  readonly #sessions: Sessions;
  readonly #idempotency: IdempotencyStore;
  readonly #queries: Queries;
  readonly #assertSessionAsks: (id: string) => Promise<void>;
  readonly #version: string;
  readonly #homeWatch: HomeWatch;
  readonly #startedAt = new Date().toISOString();
  readonly #closing = new AbortController();
  readonly #parked: ParkedSessions;
  readonly #delegation: Delegation;
  readonly #foremanHost: ForemanHost;
  readonly #overview: OverviewHub;

  private constructor(options: LocalFairleadOptions, runtime: Runtime) {
    const {
      environment = process.env,
      fallback = options.adapters[0]?.manifest.id ?? "",
      verified: isVerified = () => true,
      judged = () => [],
      trusts = () => false,
    } = options;
    const { observer, stopElsewhere, delegationBounds: bounds } = options;
    const sessions = new Sessions(runtime, {
      onFailure: (failure) => {
        this.#overview.touch(failure.session);
        observer?.onFailure?.(failure);
      },
      onRecovered: (session) => {
        this.#overview.touch(session);
        observer?.onRecovered?.(session);
      },
      onDriven: (session) => {
        const touch = (): void => this.#overview.touch(session.id);
        touch();
        void session.finished.then(touch);
        observer?.onDriven?.(session);
      },
      onLateArrival: (session) => void this.#noteArrival(session).catch(() => {}),
    });
    const queries = new Queries({ runtime, sessions, home: options.home, isVerified, judged });
    const idempotency = new IdempotencyStore(options.home.idempotencyFile);
    const forgetOutcomes = (id: string, exceptKey: string): void => idempotency.forget(id, exceptKey);
    const common = { runtime, sessions, queries, environment, fallback, trusts };
    const { policyFile } = options.home;
    const setup = options.foreman ?? defaultForemanSetup(options.home, environment);
    const foremanHost = new ForemanHost({ home: options.home, setup, fairlead: () => this });
    const handlers = new RunCommands({ ...common, policyFile, forgetOutcomes, delegationTools }, foremanHost);
    const resolveId: CommandMethodsOptions["resolveId"] = async (session, command) => {
      // The type does not hold for callers in JavaScript, and a lookup by another value would fail in odd ways.
      if (typeof session !== "string") throw new FairleadError("invalid-request", "The session is not a string.");
      const run = command === "answer" ? await foremanHost.findRun(session) : null;
      if (run !== null) return run;
      return sessions.getIfDriven(session) === undefined ? await runtime.find(session) : session;
    };
    const assertSessionAsks = (id: string): Promise<void> => handlers.assertSessionAsks(id);
    const watch = new HomeWatch(options.home);
    const assertCanStore = (): void => {
      const problem = watch.check();
      if (problem !== null) throw new FairleadError("unavailable", problem.message);
    };
    const readWorkspace = async (id: string): Promise<string> => {
      if ((await foremanHost.findRun(id)) !== null) return (await this.run(id)).workspace;
      const { copy, workspace } = await queries.session(id);
      return copy?.workspace ?? workspace;
    };
    const methods = { handlers, idempotency, resolveId, readWorkspace, assertSessionAsks, assertCanStore };
    super(methods, foremanHost, queries);
    this.#homeWatch = watch;
    this.#runtime = runtime;
    this.#sessions = sessions;
    this.#idempotency = idempotency;
    this.#queries = queries;
    this.#foremanHost = foremanHost;
    this.#assertSessionAsks = assertSessionAsks;
    this.#version = options.version ?? "embedded";
    this.#overview = new OverviewHub({
      index: runtime.engine.index,
      waitUntilComplete: () => runtime.projections.waitUntilComplete(),
      driven: (session) => runtime.projections.drivenProjection(session),
      view: (projection, owner) => queries.viewInList(projection, owner ?? runtime.owner),
      isLost: (session, owner) => sessions.isLost(session, owner),
      runDecisions: () => foremanHost.decisions(),
    });
    this.#parked = new ParkedSessions({
      list: () => queries.listParked(),
      wake: (session, until) => wakeParkedSession(this, runtime, session, until, this.#closing.signal),
    });
    this.#delegation = new Delegation({ handlers, queries, sessions, stopElsewhere, bounds });
    // An index that cannot be read is reported elsewhere.
    for (const restored of [this.#parked.restore(), this.#delegation.restore()]) void restored.catch(() => {});
    // Runs that an earlier process left continue. What prevents it is reported to the next caller.
    void foremanHost.getIfUsed().catch(() => {});
    this.recovery = sessions.recover();
    this.recovery.catch(() => {}); // callers that await `recovery` get the error
  }

  static async open(options: LocalFairleadOptions): Promise<LocalFairlead> {
    const { observer } = options;
    let opened: LocalFairlead | undefined;
    const sessionTools = createDelegationTools(() => {
      if (opened === undefined) throw new FairleadError("unavailable", "The service is starting.");
      return { fairlead: opened, delegation: opened.#delegation };
    });
    const runtimeOptions: RuntimeOptions = {
      ...runtimeOptionsOf(options),
      tools: [...builtInTools, submitPlan, submitReview, ...sessionTools, ...(options.tools ?? [])],
      onJournaled: (event) => {
        observer?.onEvent(event);
        if (opened === undefined) return;
        opened.#overview.touch(event.session);
        opened.#queries.addToOutline(event);
        opened.#parked.onEvent(event);
        opened.#delegation.onEvent(event);
      },
      onJournalLoss: (error) => observer?.onJournalLoss?.(error),
      onIndexFailure: (error) => observer?.onIndexFailure?.(error),
    };
    await using resources = new AsyncDisposableStack();
    const runtime = resources.use(await Runtime.open(runtimeOptions));
    const fairlead = (opened = new LocalFairlead(options, runtime));
    resources.move();
    return fairlead;
  }

  async health(): Promise<Health> {
    const journalRecovery = this.#runtime.engine.recovery;
    const problem = this.homeProblem?.message ?? null;
    const facts = { version: this.#version, startedAt: this.#startedAt, journalRecovery, problem };
    return summarizeHealth(await this.countSessions(), facts);
  }

  /** What happened to the data directory since this process opened it, or null. */
  get homeProblem(): HomeProblem | null {
    return this.#homeWatch.check();
  }

  /** The access tokens of this service. */
  get tokens(): TokenStore {
    return this.#runtime.engine.tokens;
  }

  /** The programs that are connected to this process and run tools for sessions. */
  get toolPrograms(): ToolPrograms {
    return this.#runtime.tools.programs;
  }

  /** Ends all agents that this process drives, unrecorded. The caller must exit at once; see `Runtime.terminateKeepers`. */
  terminateKeepers(): void {
    this.#runtime.terminateKeepers();
  }

  /** Sends the newest deadlines of the option `attendance` to all keepers. */
  attendKeepers(): void {
    this.#runtime.attendKeepers();
  }

  /** Takes a session over from another host that was lost or has released it, and drives it. */
  async arrive(session: string): Promise<"arrived" | "kept"> {
    if (!(await this.#sessions.arrive(session))) return "kept";
    await this.#noteArrival(session);
    return "arrived";
  }

  async #noteArrival(session: string): Promise<void> {
    await this.#parked.onArrival(this.#queries.session(session));
    await this.#delegation.onArrival(session);
  }

  /** Lets a session leave this host once its turn has ended. Another host can take it then. */
  async leave(session: string, options: LeaveOptions): Promise<void> {
    await this.#sessions.leave(session, options);
  }

  /** Whether a session has paused to leave this host. */
  hasLeft(session: string): boolean {
    return this.#sessions.hasLeft(session);
  }

  /** Continues a session that was to leave this host, and that no other host took. Throws `fenced` if one has. */
  async stay(session: string): Promise<void> {
    await this.#sessions.get(session);
  }

  /** Writes the rows of changed sessions, so that other processes list what this one has done. Never rejects. */
  async flushIndex(): Promise<void> {
    await this.#runtime.projections.flush();
  }

  overview(options?: OverviewOptions): AsyncIterable<OverviewFrame> {
    return this.#overview.follow(options);
  }

  async *events(session: string, options: EventReadOptions = {}): AsyncGenerator<ReadEvent | Delta> {
    const id = await this.resolveSession(session);
    assertEventReadOptions(options);
    const { after = 0, limit, deltas = false } = options;
    if (options.follow !== true) return yield* clipEvents(this.#runtime.events(id, after, undefined, limit), options);
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    const sources = { runtime: this.#runtime, sessions: this.#sessions };
    for await (const one of clipEvents(followSession(sources, id, after, signal), options))
      if (deltas || "body" in one) yield one;
    if (this.#closing.signal.aborted) throw new FairleadError("unavailable", "The service is closing.");
  }

  async type(session: string, text: string, { approvalsRequired = false }: CallerOptions = {}): Promise<void> {
    parseArguments("type", [session, text]);
    const id = await this.resolveSession(session);
    if (approvalsRequired) await this.#assertSessionAsks(id);
    await (await this.#sessions.get(id)).type(text);
  }

  async resize(session: string, size: TerminalSize): Promise<void> {
    parseArguments("resize", [session, size]);
    await (await this.#sessions.get(await this.resolveSession(session))).resize(size);
  }

  async decisions(): Promise<readonly DecisionView[]> {
    return [...(await this.#queries.decisions()), ...(await this.#foremanHost.decisions())];
  }

  /** Removes what interrupted starts and removals, and sessions that moved away, have left. Never rejects. */
  async sweep(): Promise<void> {
    await this.#runtime.sweepFailedStarts();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#parked[Symbol.dispose]();
    await this.#overview[Symbol.asyncDispose]();
    await this.#foremanHost[Symbol.asyncDispose]();
    this.#delegation[Symbol.dispose]();
    // Cancels a recovery that waits, for example for a keeper that does not respond.
    await this.#sessions[Symbol.asyncDispose]();
    await this.recovery.catch(() => {});
    await this.#runtime[Symbol.asyncDispose]();
    this.#idempotency[Symbol.dispose]();
    this.#homeWatch[Symbol.dispose]();
  }
}
