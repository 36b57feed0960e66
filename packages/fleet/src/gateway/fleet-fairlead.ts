import {
  type AgentView,
  assertEventReadOptions,
  type CommandOptions,
  type DecisionView,
  type EventReadOptions,
  type Fairlead,
  type Health,
  type MethodRouteName,
  type OverviewFrame,
  type OverviewOptions,
  parseArguments,
  type Route,
  routes,
  type SearchPage,
  type SearchQuery,
  type SessionPage,
  type SessionQuery,
  type SessionView,
  type StartRequest,
  type TurnPage,
  type TurnQuery,
  type UsageBucket,
  type UsageHistoryQuery,
  type UsageView,
} from "@fairlead/api";
import { capabilitiesOver, FairleadError, type Adapter, type Delta, type ReadEvent } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { decodeEvents } from "@fairlead/runtime";
import {
  clipEvents,
  IndexQueries,
  OverviewHub,
  searchSession,
  type SessionCount,
  type SessionFacts,
  SessionOutlines,
  summarizeHealth,
  toSessionView,
  toUsageViews,
} from "@fairlead/service";
import { optionsArgumentOf, sessionArgumentOf, toSentOptions } from "../method-call.ts";
import { defaultPool } from "../start-job.ts";
import { findContinuation } from "./find-continuation.ts";
import { forgetLost } from "./forget-lost.ts";
import { FleetIndex } from "./fleet-index.ts";
import { HostCalls } from "./host-calls.ts";
import { HostTable } from "./host-table.ts";
import { listAgents } from "./list-agents.ts";
import { readKnownSession, readOwner } from "./known-sessions.ts";
import { MethodsWithoutRuns } from "./methods-without-runs.ts";
import { mergeLiveOutput } from "./merge-live-output.ts";
import { SessionFinder } from "./session-finder.ts";
import { SessionMover, type MoveReport } from "./session-mover.ts";
import { startInPool } from "./start-in-pool.ts";

export interface FleetFairleadOptions {
  /** The engine of the fleet. The caller closes it. */
  readonly engine: Engine;
  /** The agents whose names and capabilities are shown. */
  readonly adapters: readonly Adapter[];
  /** The pool that gets the starts. */
  readonly pool?: string;
  readonly version?: string;
  /** Receives errors of moving sessions of lost hosts, which are tried again. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** Receives each session of a lost host that moved or could not. Must not throw. */
  readonly onMove?: (report: MoveReport) => void;
  /** Milliseconds that a start waits for a host with room. Default: 60 s. */
  readonly startTimeout?: number;
  /** Milliseconds that a command waits for a host that restarts. Default: 10 s. */
  readonly patience?: number;
}

/**
 * The product's interface over a fleet: reads the log and the index, and sends commands to the hosts. It keeps no state of its
 * own, so that a client may use any gateway for any session.
 */
export class FleetFairlead extends MethodsWithoutRuns implements Fairlead, AsyncDisposable {
  readonly #engine: Engine;
  readonly #index: FleetIndex;
  readonly #queries: IndexQueries;
  readonly #outlines: SessionOutlines;
  readonly #finder: SessionFinder;
  readonly #overview: OverviewHub;
  readonly #calls: HostCalls;
  readonly #hosts: HostTable;
  readonly #mover: SessionMover;
  readonly #closing = new AbortController();
  readonly #startedAt = new Date().toISOString();
  readonly #options: FleetFairleadOptions;

  constructor(options: FleetFairleadOptions) {
    super((method, values) => this.#callHost(method, values));
    const { engine, patience = 10_000 } = options;
    this.#options = options;
    this.#engine = engine;
    this.#index = new FleetIndex(engine.index);
    this.#queries = new IndexQueries({
      projections: this.#index,
      view: (facts, owner) => this.#viewOfRow(facts, owner),
    });
    this.#outlines = new SessionOutlines({ events: (id, after) => decodeEvents(engine.log.read(id, after)) });
    this.#finder = new SessionFinder(engine, this.#index);
    this.#overview = new OverviewHub({
      index: engine.index,
      waitUntilComplete: () => this.#index.waitUntilComplete(),
      driven: () => undefined,
      view: (projection, owner = "") => this.#queries.viewInList(projection, owner),
      isLost: (_, owner) => this.#isLost(owner),
      runDecisions: () => Promise.resolve([]),
    });
    this.#hosts = new HostTable(engine.hosts, () => this.#mover.hostGone());
    this.#mover = new SessionMover({
      engine,
      joined: this.#hosts,
      onError: options.onError ?? (() => {}),
      ...(options.onMove && { onMove: options.onMove }),
    });
    const moveLost = (session: string): Promise<unknown> => this.#mover.move(session);
    this.#calls = new HostCalls({ engine, patience, moveLost, ownerOf: (session) => readOwner(engine, session) });
  }

  async health(): Promise<Health> {
    const facts = { version: this.#options.version ?? "embedded", startedAt: this.#startedAt, problem: null };
    return summarizeHealth(await this.#queries.countSessions(), { ...facts, journalRecovery: undefined });
  }

  /** Counts the sessions by agent and state, for metrics. */
  async countSessions(): Promise<readonly SessionCount[]> {
    return await this.#queries.countSessions();
  }

  /** The hosts that count as alive, by pool: of the pool that gets starts here, and of each that has or had a host. */
  get hostCounts(): Readonly<Record<string, number>> {
    return { [this.#options.pool ?? defaultPool]: 0, ...this.#hosts.countByPool };
  }

  async agents(): Promise<readonly AgentView[]> {
    return await listAgents(this.#hosts.ids, this.#calls, this.#closing.signal);
  }

  async start(request: StartRequest, options: CommandOptions = {}): Promise<SessionView> {
    const [parsed] = parseArguments("start", [request]) as [StartRequest];
    const { queue } = this.#engine;
    const { pool = defaultPool, startTimeout: timeout = 60_000 } = this.#options;
    const { signal } = this.#closing;
    const send = async (id: string, prompt: string, sent: CommandOptions): Promise<unknown> =>
      await this.#callSession(id, "send", [id, prompt], sent);
    return await this.session(await startInPool(parsed, options, { queue, pool, timeout, signal, send }));
  }

  async sessions(query?: SessionQuery): Promise<SessionPage> {
    const [parsed] = parseArguments("sessions", [query]);
    return await this.#queries.sessions(parsed as SessionQuery);
  }

  overview(options?: OverviewOptions): AsyncIterable<OverviewFrame> {
    return this.#overview.follow(options);
  }

  /** Returns the view of the session's host, or, if that does not answer, what the index or the log has. */
  async session(session: string): Promise<SessionView> {
    const id = await this.#finder.find(session);
    try {
      return (await this.#callSession(id, "session", [id])) as SessionView;
    } catch (error) {
      if (!FairleadError.is(error, "unavailable") && !FairleadError.is(error, "indeterminate")) throw error;
      const known = await readKnownSession(this.#engine, id);
      if (known === undefined) throw error;
      // The mover looks at rows.
      if (!known.hasRow) void this.#mover.move(id).catch(this.#options.onError ?? (() => {}));
      return await this.#viewOfRow(known, known.owner);
    }
  }

  async *events(session: string, options: EventReadOptions = {}): AsyncGenerator<ReadEvent | Delta> {
    assertEventReadOptions(options);
    const { after = 0, limit, follow = false, deltas = false } = options;
    const id = await this.#finder.find(session);
    const { log, bus } = this.#engine;
    const readOptions = limit === undefined ? {} : { limit };
    if (!follow) return yield* clipEvents(decodeEvents(log.read(id, after, readOptions)), options);
    const ended = new AbortController();
    const signals = [this.#closing.signal, ended.signal, ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    try {
      const events = decodeEvents(log.watch(id, after, signal));
      const all = deltas ? mergeLiveOutput(events, bus.subscribe(id, signal), { after, signal }) : events;
      for await (const one of clipEvents(all, options)) {
        yield one;
        if ("body" in one && one.body.type === "session.ended") return;
      }
    } finally {
      ended.abort();
    }
    if (this.#closing.signal.aborted) throw new FairleadError("unavailable", "The gateway is closing.");
  }

  async turns(session: string, query?: TurnQuery): Promise<TurnPage> {
    const [, parsed] = parseArguments("turns", [session, query]) as [string, TurnQuery | undefined];
    return await this.#outlines.page(await this.#finder.find(session), parsed);
  }

  async search(session: string, query: SearchQuery): Promise<SearchPage> {
    const [, parsed] = parseArguments("search", [session, query]) as [string, SearchQuery];
    const id = await this.#finder.find(session);
    const { log } = this.#engine;
    const { last } = await log.tail(id);
    return await searchSession(
      { events: (after, limit) => decodeEvents(log.read(id, after, { limit })), last },
      parsed,
    );
  }

  async decisions(): Promise<readonly DecisionView[]> {
    return await this.#queries.decisions();
  }

  async usage(session?: string): Promise<readonly UsageView[]> {
    if (session === undefined) return await this.#queries.usage();
    const projection = await this.#index.read(await this.#finder.find(session));
    return projection === undefined ? [] : await toUsageViews(projection);
  }

  async usageHistory(query: UsageHistoryQuery): Promise<readonly UsageBucket[]> {
    return await this.#queries.usageHistory(query);
  }

  async turnHistory(query: UsageHistoryQuery): ReturnType<Fairlead["turnHistory"]> {
    return await this.#queries.turnHistory(query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#overview[Symbol.asyncDispose]();
    await this.#mover[Symbol.asyncDispose]();
    await this.#hosts[Symbol.asyncDispose]();
  }

  async #callHost(method: MethodRouteName, values: readonly unknown[]): Promise<unknown> {
    const optionsIndex = optionsArgumentOf(method);
    const options = optionsIndex < 0 ? undefined : ((values[optionsIndex] as CommandOptions | undefined) ?? {});
    const { args }: Route = routes[method];
    const sent = values.slice(0, args?.length);
    const sessionIndex = sessionArgumentOf(method);
    parseArguments(method, sent);
    const id = await this.#finder.find(sent[sessionIndex]);
    if (options?.assertWorkspace !== undefined) await this.#assertWorkspace(id, options.assertWorkspace);
    const started = await findContinuation(this.#engine, method, id, options);
    if (started !== undefined) return await this.session(started);
    try {
      return await this.#callSession(id, method, sent.with(sessionIndex, id), options);
    } catch (error) {
      if (method !== "forget" || !FairleadError.is(error, "unavailable")) throw error;
      return await forgetLost(this.#engine, id, { hostError: error, joinedHosts: this.#hosts.ids });
    }
  }

  async #assertWorkspace(id: string, assert: (workspace: string) => void): Promise<void> {
    const { copy, workspace } = await this.session(id);
    assert(copy?.workspace ?? workspace);
  }

  async #callSession(
    id: string,
    method: MethodRouteName,
    args: readonly unknown[],
    options?: CommandOptions,
  ): Promise<unknown> {
    const { signal } = this.#closing;
    const stop = options?.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
    return await this.#calls.callSession(
      id,
      { method, args, ...(options && { options: toSentOptions(options) }) },
      stop,
    );
  }

  /** Asks the servers only for owners that may be dead: a list has many rows. */
  async #isLost(owner: string): Promise<boolean> {
    return !this.#hosts.has(owner) && !(await this.#engine.hosts.isAlive(owner));
  }

  async #viewOfRow(facts: SessionFacts, owner: string): Promise<SessionView> {
    const { summary } = facts;
    const { agent, agentVersion, protocol } = summary;
    const manifest = this.#options.adapters.find((adapter) => adapter.manifest.id === agent)?.manifest;
    const isSettled = ["paused", "ended", "damaged"].includes(summary.state);
    return toSessionView(facts, {
      label: manifest?.label ?? agent,
      capabilities: manifest ? capabilitiesOver(manifest, agentVersion, protocol) : [],
      driven: undefined,
      failure: undefined,
      hasNoKeeper: () => false,
      isLost: !isSettled && (await this.#isLost(owner)),
      now: Date.now(),
    });
  }
}
