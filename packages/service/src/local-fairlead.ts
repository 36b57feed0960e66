import { parseArguments } from "@fairlead/api";
import type {
  AgentView,
  CallerOptions,
  Checkpoint,
  DecisionView,
  Diff,
  DiffQuery,
  EventReadOptions,
  Fairlead,
  FileView,
  Health,
  SessionPage,
  SessionQuery,
  SessionView,
  UsageView,
} from "@fairlead/api";
import {
  FairleadError,
  type Adapter,
  type Delta,
  type Event,
  type HostTool,
  type TerminalSize,
} from "@fairlead/contract";
import { submitPlan, submitReview } from "@fairlead/foreman";
import {
  HomeWatch,
  Runtime,
  Sessions,
  type AgentSelectionOptions,
  type Environment,
  type Home,
  type HomeProblem,
  type RecoveryReport,
  type RuntimeOptions,
  type ToolPrograms,
} from "@fairlead/runtime";
import { builtInTools } from "@fairlead/tools";
import type { CommandMethodsOptions } from "./command-methods.ts";
import { createDelegationTools, delegationTools } from "./delegation/delegation-tools.ts";
import { Delegation, type DelegationBounds } from "./delegation/delegation.ts";
import type { EventObserver } from "./event-observer.ts";
import { followSession } from "./follow-session.ts";
import { IdempotencyStore } from "./idempotency-store.ts";
import { ParkedSessions } from "./parked-sessions.ts";
import { Queries, type SessionCount } from "./queries.ts";
import { defaultForemanSetup } from "./runs/default-foreman-setup.ts";
import { ForemanHost, type ForemanSetup } from "./runs/foreman-host.ts";
import { RunCommands } from "./runs/run-commands.ts";
import { RunMethods } from "./runs/run-methods.ts";
import { summarizeHealth } from "./summarize-health.ts";
import { wakeParkedSession } from "./wake-parked-session.ts";

export interface LocalFairleadOptions {
  readonly home: Home;
  readonly adapters: readonly Adapter[];
  /** The variables from which agents get theirs. Default: `process.env`. */
  readonly environment?: Environment;
  /** The agent if neither the request nor the workspace nor the environment names one. Default: the first adapter's. */
  readonly fallback?: string;
  /** Whether a person trusts a workspace's `fairlead.yaml` with everything it sets. Default: no file is trusted. */
  readonly trusts?: AgentSelectionOptions["trusts"];
  /** Whether a person trusts a workspace with the agent's own configuration in it. Default: no workspace is trusted. */
  readonly trustsWorkspace?: RuntimeOptions["trustsWorkspace"];
  /** Whether sessions have the default policy, unless the user's file says otherwise. Default: no. */
  readonly defaultPolicy?: boolean;
  /** Whether the conformance suite has ever passed with an agent. Default: true for all agents. */
  readonly verified?: (agent: string) => boolean;
  /** The version that `health` reports. Default: `embedded`. */
  readonly version?: string;
  /** Whether to compare the files of workspaces, so that changes which agents do not report are known. Default: true. */
  readonly observeFiles?: boolean;
  /** The tools that this process runs for agents, beside the built-in ones. A start names those that its agent is offered. */
  readonly tools?: readonly HostTool[];
  /** How many sessions agents may start. */
  readonly delegationBounds?: DelegationBounds;
  /** How runs are done. Default: by the workflows of `@fairlead/foreman`, in this process. */
  readonly foreman?: ForemanSetup;
  /** Receives every event of the sessions that this process drives. */
  readonly observer?: EventObserver;
}

/** Runs Fairlead in this process. Disposing it releases all sessions and stops none. */
export class LocalFairlead extends RunMethods implements Fairlead, AsyncDisposable {
  /** The result of attaching to the sessions that the previous process left running. */
  readonly recovery: Promise<RecoveryReport>;
  readonly #runtime: Runtime;
  readonly #sessions: Sessions;
  readonly #idempotency: IdempotencyStore;
  readonly #queries: Queries;
  readonly #resolveId: (session: string) => Promise<string>;
  readonly #assertSessionAsks: (id: string) => Promise<void>;
  readonly #version: string;
  readonly #homeWatch: HomeWatch;
  readonly #startedAt = new Date().toISOString();
  readonly #closing = new AbortController();
  readonly #parked: ParkedSessions;
  readonly #delegation: Delegation;
  readonly #foremanHost: ForemanHost;

  private constructor(options: LocalFairleadOptions, runtime: Runtime) {
    const {
      environment = process.env,
      fallback = options.adapters[0]?.manifest.id ?? "",
      verified: isVerified = () => true,
      trusts = () => false,
    } = options;
    const { observer } = options;
    const sessions = new Sessions(runtime, {
      onFailure: (failure) => observer?.onFailure?.(failure),
      onRecovered: (session) => observer?.onRecovered?.(session),
    });
    const queries = new Queries({ runtime, sessions, isVerified });
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
    super({ handlers, idempotency, resolveId, readWorkspace, assertSessionAsks, assertCanStore }, foremanHost);
    this.#homeWatch = watch;
    this.#runtime = runtime;
    this.#sessions = sessions;
    this.#idempotency = idempotency;
    this.#queries = queries;
    this.#resolveId = (session) => resolveId(session, "send");
    this.#foremanHost = foremanHost;
    this.#assertSessionAsks = assertSessionAsks;
    this.#version = options.version ?? "embedded";
    this.#parked = new ParkedSessions({
      list: () => queries.listParked(),
      wake: (session, until) => wakeParkedSession(this, session, until, () => this.#closing.signal.aborted),
    });
    this.#delegation = new Delegation({
      handlers,
      queries,
      sessions,
      ...(options.delegationBounds && { bounds: options.delegationBounds }),
    });
    // An index that cannot be read is reported elsewhere.
    for (const restored of [this.#parked.restore(), this.#delegation.restore()]) void restored.catch(() => {});
    // Runs that an earlier process left continue. What prevents it is reported to the next caller.
    void foremanHost.getIfUsed().catch(() => {});
    this.recovery = sessions.recover();
    this.recovery.catch(() => {}); // callers that await `recovery` get the error
  }

  static async open(options: LocalFairleadOptions): Promise<LocalFairlead> {
    const { home, adapters, environment = process.env, observer, trustsWorkspace, trusts, defaultPolicy } = options;
    let opened: LocalFairlead | undefined;
    const sessionTools = createDelegationTools(() => {
      if (opened === undefined) throw new FairleadError("unavailable", "The service is starting.");
      return { fairlead: opened, delegation: opened.#delegation };
    });
    const runtimeOptions: RuntimeOptions = {
      home,
      adapters,
      environment,
      keepSpareKeeper: true,
      observeFiles: options.observeFiles ?? true,
      tools: [...builtInTools, submitPlan, submitReview, ...sessionTools, ...(options.tools ?? [])],
      ...(trustsWorkspace && { trustsWorkspace }),
      ...(trusts && { trustsFile: trusts }),
      ...(defaultPolicy !== undefined && { defaultPolicy }),
      onJournaled: (event) => {
        observer?.onEvent(event);
        if (opened === undefined) return;
        opened.#parked.onEvent(event);
        opened.#delegation.onEvent(event);
      },
      ...(observer && { onJournalLoss: (error: unknown): void => observer.onJournalLoss?.(error) }),
      ...(observer && { onIndexFailure: (error: unknown): void => observer.onIndexFailure?.(error) }),
    };
    await using resources = new AsyncDisposableStack();
    const runtime = resources.use(await Runtime.open(runtimeOptions));
    const fairlead = new LocalFairlead(options, runtime);
    opened = fairlead;
    resources.move();
    return fairlead;
  }

  async health(): Promise<Health> {
    const { journalRecovery } = this.#runtime;
    const problem = this.homeProblem?.message ?? null;
    const facts = { version: this.#version, startedAt: this.#startedAt, journalRecovery, problem };
    return summarizeHealth(await this.countSessions(), facts);
  }

  /** What happened to the data directory since this process opened it, or null. */
  get homeProblem(): HomeProblem | null {
    return this.#homeWatch.check();
  }

  /** The programs that are connected to this process and run tools for sessions. */
  get toolPrograms(): ToolPrograms {
    return this.#runtime.tools.programs;
  }

  /** Ends all agents that this process drives, unrecorded. The caller must exit at once; see `Runtime.terminateKeepers`. */
  terminateKeepers(): void {
    this.#runtime.terminateKeepers();
  }

  async agents(): Promise<readonly AgentView[]> {
    return await this.#queries.agents();
  }

  async sessions(query?: SessionQuery): Promise<SessionPage> {
    const [parsedQuery] = parseArguments("sessions", [query]);
    return await this.#queries.sessions(parsedQuery as SessionQuery);
  }

  /** Counts the sessions by agent and state. Its cost does not depend on the number of ended sessions. */
  async countSessions(): Promise<readonly SessionCount[]> {
    return await this.#queries.countSessions();
  }

  async session(session: string): Promise<SessionView> {
    return await this.#queries.session(await this.#resolveId(session));
  }

  async *events(session: string, options: EventReadOptions = {}): AsyncGenerator<Event | Delta> {
    const id = await this.#resolveId(session);
    const { after = 0, deltas = false } = options;
    if (!Number.isSafeInteger(after) || after < 0)
      throw new FairleadError("invalid-request", "`after` is not a sequence number.");
    if (options.follow !== true) return yield* this.#runtime.events(id, after);
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    const sources = { runtime: this.#runtime, sessions: this.#sessions };
    for await (const one of followSession(sources, id, after, signal)) if (deltas || "body" in one) yield one;
    if (this.#closing.signal.aborted) throw new FairleadError("unavailable", "The service is closing.");
  }

  async checkpoint(session: string): Promise<Checkpoint> {
    return await this.#queries.checkpoint(await this.#resolveId(session));
  }

  async type(session: string, text: string, { approvalsRequired = false }: CallerOptions = {}): Promise<void> {
    parseArguments("type", [session, text]);
    const id = await this.#resolveId(session);
    if (approvalsRequired) await this.#assertSessionAsks(id);
    await (await this.#sessions.get(id)).type(text);
  }

  async resize(session: string, size: TerminalSize): Promise<void> {
    parseArguments("resize", [session, size]);
    await (await this.#sessions.get(await this.#resolveId(session))).resize(size);
  }

  async decisions(): Promise<readonly DecisionView[]> {
    return [...(await this.#queries.decisions()), ...(await this.#foremanHost.decisions())];
  }

  async files(session: string): Promise<readonly FileView[]> {
    return await this.#queries.files(await this.#resolveId(session));
  }

  async diff(session: string, query?: DiffQuery): Promise<Diff> {
    const [, parsed] = parseArguments("diff", [session, query]) as [string, DiffQuery | undefined];
    const ofRun = await this.diffRun(session, parsed);
    return ofRun ?? (await this.#queries.diff(await this.#resolveId(session), parsed));
  }

  async usage(session?: string): Promise<readonly UsageView[]> {
    return await this.#queries.usage(session === undefined ? undefined : await this.#resolveId(session));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#parked[Symbol.dispose]();
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
