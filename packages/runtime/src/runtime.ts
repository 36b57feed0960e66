import { hostname } from "node:os";
import { FairleadError, type Continuation, type Event, type ProbeResult, type Settings } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { endKeeper, findKeeper } from "@fairlead/keeper";
import { decodeEvents } from "./actor/stored-events.ts";
import { describeForcedEnd } from "./sessions/describe-forced-end.ts";
import { recordForcedEnd } from "./sessions/record-forced-end.ts";
import { assertHere } from "./sessions/start/claim-here.ts";
import { forgetSession } from "./sessions/forget-session.ts";
import type { Home } from "./home.ts";
import { SessionCatalog } from "./sessions/session-catalog.ts";
import { isAbandoned } from "./sessions/is-abandoned.ts";
import { createProbeHost } from "./host/probe-host.ts";
import { isKeeperGone } from "./host/is-keeper-gone.ts";
import { AdapterRegistry } from "./config/adapter-registry.ts";
import { terminateProcesses } from "./host/terminate-processes.ts";
import { resumeSession } from "./sessions/attach/resume-session.ts";
import { forgetImage } from "./moving/session-image.ts";
import type { Claim } from "@fairlead/journal";
import { arriveSession } from "./moving/arrive-session.ts";
import { openHomeEngine } from "./open-home-engine.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import type { SessionCheckpoint } from "./sessions/session-checkpoint.ts";
import { Session } from "./sessions/session.ts";
import type { StartOptions } from "./sessions/start/start-options.ts";
import { type SessionForkOptions } from "./sessions/continuation-planner.ts";
import type { SessionResumeOptions } from "./sessions/continuation-planner.ts";
import type { SessionSummary } from "./sessions/session-summary.ts";
import { SessionProjections } from "./projection/session-projections.ts";
import { ToolRegistry } from "./tools/tool-registry.ts";
import { SessionCopies } from "./copies/session-copies.ts";
import { RepositoryWorkspaces } from "./workspaces/repository-workspaces.ts";
import { createRuntimeParts, type RuntimeParts } from "./runtime-parts.ts";

/** Starts, attaches, resumes and reads the sessions of one data directory. Disposing releases all and stops none. */
export class Runtime implements AsyncDisposable {
  readonly registry: AdapterRegistry;
  /** The tools that this process runs for agents. */
  readonly tools: ToolRegistry;
  /** Reads sessions without driving them. */
  readonly catalog: SessionCatalog;
  /** The index of all sessions. */
  readonly projections: SessionProjections;
  /** The isolated copies that sessions work in. */
  readonly copies: SessionCopies;
  /** The clones of repositories that sessions work in. */
  readonly workspaces: RepositoryWorkspaces;
  /** Identifies this runtime in the journal. */
  readonly owner: string;
  /** The storage and transport that this runtime shares with other processes. */
  readonly engine: Engine;
  readonly #home: Home;
  readonly #parts: RuntimeParts;
  /** Leaves the hosts, and closes the engine if the caller passed none. */
  readonly #close: () => Promise<void>;

  private constructor(options: RuntimeOptions, engine: Engine, owner: string, close: () => Promise<void>) {
    const probe = (id: string): Promise<ProbeResult> => this.probe(id);
    const events = (session: string): AsyncIterable<Event> => this.events(session, 0);
    const parts = createRuntimeParts(options, { engine, owner, probe, events });
    this.#parts = parts;
    this.registry = parts.registry;
    this.tools = parts.tools;
    this.catalog = parts.catalog;
    this.projections = parts.projections;
    this.copies = parts.copies;
    this.workspaces = parts.workspaces;
    this.#home = options.home;
    this.owner = owner;
    this.engine = engine;
    this.#close = close;
  }

  static async open(options: RuntimeOptions): Promise<Runtime> {
    const { home } = options;
    home.create();
    await using resources = new AsyncDisposableStack();
    const engine = options.engine ?? resources.use(await openHomeEngine(home));
    const { owner } = resources.use(await engine.hosts.join({ name: hostname() }));
    const runtime = new Runtime(options, engine, owner, () => opened.disposeAsync());
    const opened = resources.move();
    return runtime;
  }

  /** Probes an agent on this machine. */
  probe(id: string): Promise<ProbeResult> {
    const adapter = this.registry.find(id);
    return adapter.probe(
      this.#parts.probes.wrap(createProbeHost(this.#parts.environment, adapter.manifest.environment)),
    );
  }

  /** Starts a session. Rejects invalid options before it starts a process. */
  async start(options: StartOptions): Promise<Session> {
    return await this.#parts.starter.start(options);
  }

  /**
   * Attaches to a session, and takes it over from the process that drives it. If its agent is gone, records the loss.
   * The signal cancels an attach that is waiting, for example for a disk or for a keeper that does not respond. Throws `unavailable`
   * if the agent is gone while none may work on this host.
   */
  async attach(session: string, signal?: AbortSignal, claim?: Claim): Promise<Session> {
    const adapter = this.registry.find((await this.catalog.readFirstEvent(session)).agent);
    await this.#parts.failedStarts.release(session);
    const keeper = await findKeeper(this.#home.sessionFolder(session), { signal });
    // Its keeper may have ended the agent for that reason. The caller would resume the session at once.
    if (keeper === "gone") this.#parts.actors.assertAttended();
    const actor = await this.#parts.actors.start(session, adapter, keeper, { signal, ...(claim && { claim }) });
    return new Session(session, actor, this.engine.log, this.#parts.conversations);
  }

  /**
   * Takes a session over from another host that was lost or has released it. Returns the claim to attach with; null if there is
   * nothing to take, as on one machine, whose processes have the same data directory. Throws `unavailable` while no agent may work
   * on this host.
   */
  async arrive(session: string): Promise<Claim | null> {
    this.#parts.actors.assertAttended();
    return this.engine.log.carriesNotes ? await arriveSession(session, this.#parts.arrivals) : null;
  }

  /** Throws `fenced` if another host has a session. Does nothing if the end of its log is damaged. */
  async assertHere(session: string): Promise<void> {
    const { log: journal, hosts } = this.engine;
    if (!journal.carriesNotes) return;
    await assertHere({ journal, hosts }, session).catch((error: unknown) => {
      if (!FairleadError.is(error, "corrupt")) throw error;
    });
  }

  /** Kills the keeper of a session and every process of its agent. `cause` is why no command can end the session. */
  async killKeeper(session: string, cause?: unknown): Promise<void> {
    if (cause !== undefined) this.#parts.actors.expectForcedEnd(session, describeForcedEnd(cause));
    await endKeeper(this.#home.sessionFolder(session));
  }

  /** Removes what killed processes have left of sessions that they were starting. Never rejects. */
  async sweepFailedStarts(): Promise<void> {
    await this.#parts.failedStarts.sweep();
    await this.copies.sweep();
    await this.workspaces.sweep();
  }

  /** Records the end of a session whose processes were killed and whose actor cannot record it. */
  async recordForcedEnd(session: string, cause: unknown): Promise<void> {
    const { log: journal, hosts } = this.engine;
    const options = { session, cause, home: this.#home, journal, hosts, owner: this.owner };
    await recordForcedEnd({ ...options, ...this.#parts.journalOptions });
    await this.projections.refresh(session);
  }

  /**
   * Continues a conversation: attaches to a running session, resumes a paused one, and for an ended one starts a new
   * session. `native` continues the agent's own conversation. The caller may accept less: `rebuilt` from the journal, or
   * `fresh`. These start a new session, and `endSession` must end an open one. Throws `conflict` if another session has it.
   */
  async resume(
    session: string,
    outcome: Continuation["outcome"] = "native",
    options: SessionResumeOptions = {},
  ): Promise<Session> {
    const parts = { continuations: this.#parts.continuations, starter: this.#parts.starter, names: this.#parts.names };
    return await resumeSession({ runtime: this, ...parts }, session, outcome, options);
  }

  /**
   * Continues from a checkpoint: resumes its session if this journal has it, otherwise starts a new session that
   * continues the agent's own conversation. If the agent does not have the conversation, the new session fails; it never
   * starts without it. `settings` has the values of `checkpoint.secretSettings`, which a checkpoint does not contain.
   */
  async resumeFrom(checkpoint: SessionCheckpoint, settings: Settings = {}): Promise<Session> {
    if (await this.catalog.has(checkpoint.session)) return await this.resume(checkpoint.session);
    return await this.start(this.#parts.continuations.planRestore(checkpoint, settings));
  }

  /**
   * Starts a session with a copy of the conversation so far. The original session does not change. Throws `not-supported`
   * if the agent cannot copy its own conversation, unless the caller accepts the outcome `rebuilt` or `fresh`.
   */
  async fork(session: string, options: SessionForkOptions = {}): Promise<Session> {
    await this.catchUp(session);
    return await this.start(await this.#parts.continuations.planFork(session, options));
  }

  /**
   * Reads a session's events after a sequence number, from the journal only. With a signal, also yields new events, without a
   * limit.
   */
  async *events(session: string, after: number, signal?: AbortSignal, limit = Infinity): AsyncGenerator<Event> {
    try {
      yield* decodeEvents(
        signal ? this.engine.log.watch(session, after, signal) : this.engine.log.read(session, after, { limit }),
      );
    } catch (error) {
      if (FairleadError.is(error, "corrupt")) await this.projections.recordDamage(session);
      throw error;
    }
  }

  /** Appends to the journal what happened in a session since its owner exited. Does nothing if its owner runs. */
  async catchUp(session: string): Promise<void> {
    if (await isAbandoned(this.engine, session)) await (await this.attach(session))[Symbol.asyncDispose]();
  }

  /**
   * Removes a session that has ended, its isolated copy or clone, and its snapshots. Throws `conflict` if it has not ended,
   * or if the copy has work.
   * `removeStoredOutcomes` runs before the session is gone, so that a crash cannot leave such data behind.
   */
  async forget(session: string, removeStoredOutcomes?: () => void): Promise<void> {
    // Otherwise it would store again what this removes.
    await this.#parts.actors.releaseEnded(session);
    const removeCopy = await this.copies.release(session);
    const removeClone = await this.workspaces.release(session);
    await forgetSession(this.#home, this.engine.log, session, async () => {
      removeStoredOutcomes?.();
      if (this.engine.log.carriesNotes) await forgetImage(this.engine.objects, session);
    });
    // Last, so that a session whose removal was interrupted is still listed.
    await this.projections.forget(session);
    await removeCopy();
    await removeClone();
  }

  /**
   * Ends the keepers and agents of all sessions that this process drives, and records nothing. For a data directory that was
   * removed. The caller must exit at once, because actors start new keepers.
   */
  terminateKeepers(): void {
    terminateProcesses([
      ...this.#parts.actors.keeperPids,
      ...(this.#parts.spares.pid === undefined ? [] : [this.#parts.spares.pid]),
    ]);
  }

  /** Sends the newest deadlines of the option `attendance` to the keepers of all sessions that this process drives. */
  attendKeepers(): void {
    this.#parts.actors.attendKeepers();
  }

  /** Whether a session has no keeper, and therefore no agent. False if that cannot be determined now. */
  hasNoKeeper(session: string): boolean {
    return isKeeperGone(this.#home.sessionFolder(session));
  }

  list(): AsyncIterable<SessionSummary> {
    return this.#parts.directory.list();
  }

  summary(session: string): Promise<SessionSummary> {
    return this.#parts.directory.summary(session);
  }

  find(prefix: string): Promise<string> {
    return this.#parts.directory.find(prefix);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.starter[Symbol.dispose]();
    this.workspaces[Symbol.dispose]();
    await this.#parts.failedStarts[Symbol.asyncDispose]();
    await this.#parts.actors[Symbol.asyncDispose]();
    await this.#parts.spares[Symbol.asyncDispose]();
    await this.projections[Symbol.asyncDispose]();
    await this.#close();
  }
}
