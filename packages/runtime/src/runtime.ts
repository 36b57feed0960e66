import { FairleadError, type Continuation, type Event, type ProbeResult, type Settings } from "@fairlead/contract";
import { openSqliteIndex, openSqliteLog } from "@fairlead/journal";
import type { Journal, Recovery, SessionIndex, SqliteLog } from "@fairlead/journal";
import { endKeeper, findKeeper, type SecretValues } from "@fairlead/keeper";
import type { Environment } from "./host/child-environment.ts";
import { decodeEvents } from "./actor/stored-events.ts";
import { describeForcedEnd } from "./sessions/describe-forced-end.ts";
import { recordForcedEnd } from "./sessions/record-forced-end.ts";
import { FailedStarts } from "./sessions/start/failed-starts.ts";
import { forgetSession } from "./sessions/forget-session.ts";
import { readSecrets } from "./sessions/secret-file.ts";
import type { Home } from "./home.ts";
import { SessionCatalog } from "./sessions/session-catalog.ts";
import { isAbandoned, OwnerRegistration } from "./sessions/owner.ts";
import { ProbeCache } from "./host/probe-cache.ts";
import { createProbeHost } from "./host/probe-host.ts";
import { isKeeperGone } from "./host/is-keeper-gone.ts";
import { SpareKeepers } from "./host/spare-keepers.ts";
import { AdapterRegistry } from "./config/adapter-registry.ts";
import { terminateProcesses } from "./host/terminate-processes.ts";
import { attachAndResume } from "./sessions/attach-and-resume.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import type { SessionCheckpoint } from "./sessions/session-checkpoint.ts";
import { SessionActors } from "./actor/session-actors.ts";
import { Session } from "./sessions/session.ts";
import { SessionStarter } from "./sessions/start/session-starter.ts";
import type { StartOptions } from "./sessions/start/start-options.ts";
import { ContinuationPlanner, type SessionForkOptions } from "./sessions/continuation-planner.ts";
import type { SessionResumeOptions } from "./sessions/continuation-planner.ts";
import type { SessionSummary } from "./sessions/session-summary.ts";
import { Conversations } from "./sessions/conversations.ts";
import { NameReservations } from "./sessions/start/name-reservations.ts";
import { projectionVersion } from "./projection/session-projection.ts";
import { SessionProjections } from "./projection/session-projections.ts";
import { createSandboxTrial } from "./sandbox/sandbox-trial.ts";
import { ToolRegistry } from "./tools/tool-registry.ts";
import { SessionCopies } from "./copies/session-copies.ts";
import { SessionDirectory } from "./sessions/session-directory.ts";

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
  /** What a crash left in the journal when the runtime opened it; undefined after a clean close. */
  readonly journalRecovery: Recovery | undefined;
  readonly #home: Home;
  readonly #journal: Journal;
  readonly #index: SessionIndex;
  readonly #directory: SessionDirectory;
  readonly #environment: Environment;
  readonly #registration = new OwnerRegistration();
  /** Identifies this runtime in the journal. */
  readonly owner = this.#registration.owner;
  readonly #probes: ProbeCache;
  readonly #spares: SpareKeepers;
  readonly #continuations: ContinuationPlanner;
  readonly #names: NameReservations;
  readonly #conversations: Conversations;
  readonly #journalOptions: Pick<RuntimeOptions, "onJournaled">;
  readonly #actors: SessionActors;
  readonly #failedStarts: FailedStarts;
  readonly #starter: SessionStarter;

  private constructor(options: RuntimeOptions, journal: SqliteLog, index: SessionIndex) {
    const { home, adapters, environment = process.env } = options;
    this.registry = new AdapterRegistry(adapters);
    this.tools = new ToolRegistry(options.tools);
    this.#home = home;
    this.#environment = environment;
    this.#journal = journal;
    this.journalRecovery = journal.recovery;
    this.#index = index;
    const { owner, registry } = this;
    const catalog = (this.catalog = new SessionCatalog(home, journal, registry));
    const projections = (this.projections = new SessionProjections({
      index,
      journal,
      owner,
      ...(options.onIndexFailure && { onUpdateFailure: options.onIndexFailure }),
      isUnfinished: (session) => catalog.isUnfinished(session),
      ...(options.onJournalLoss && { onJournalLoss: options.onJournalLoss }),
      findLoss: (session) => catalog.findLoss(session),
      summarizeDamaged: (session, error, known) => catalog.summarizeDamaged(session, error, known),
    }));
    this.copies = new SessionCopies({ home, projections, registry, has: (session) => catalog.has(session) });
    this.#directory = new SessionDirectory(catalog, projections);
    const probe = (id: string): Promise<ProbeResult> => this.probe(id);
    const secrets = (session: string): SecretValues => readSecrets(home.secretsFile(session));
    const events = (session: string): AsyncIterable<Event> => this.events(session, 0);
    this.#continuations = new ContinuationPlanner({ catalog, registry, events, probe, secrets });
    this.#names = new NameReservations({ index, projections, catalog, directory: this.#directory, owner });
    this.#conversations = new Conversations(projections);
    this.#probes = new ProbeCache(home.probeCacheFile);
    this.#spares = new SpareKeepers(home.sparesFolder, options.sandbox !== "none" && options.network === "gate");
    if (options.keepSpareKeeper) this.#spares.start();
    this.#journalOptions = options.onJournaled === undefined ? {} : { onJournaled: options.onJournaled };
    this.#failedStarts = new FailedStarts({ home, journal, owner, ...this.#journalOptions });
    this.#actors = new SessionActors({
      home,
      journal,
      owner,
      environment,
      spares: this.#spares,
      projections,
      ...(options.snapshotInterval && { snapshotInterval: options.snapshotInterval }),
      observeFiles: options.observeFiles ?? false,
      ...(options.withheld && { withheld: options.withheld }),
      findTool: (opening, name) => this.tools.find(opening, name),
      ...this.#journalOptions,
    });
    const defaults = { fallback: options.sandbox ?? "bwrap", network: options.network ?? "open" } as const;
    this.#starter = new SessionStarter({
      home,
      journal,
      registry,
      probe,
      trustsWorkspace: options.trustsWorkspace ?? (() => false),
      names: this.#names,
      conversations: this.#conversations,
      actors: this.#actors,
      failedStarts: this.#failedStarts,
      sandbox: { adapters, environment, home, ...defaults, problem: createSandboxTrial() },
      policy: { hasDefault: options.defaultPolicy ?? false, trustsFile: options.trustsFile ?? (() => false) },
    });
  }

  static async open(options: RuntimeOptions): Promise<Runtime> {
    const { home } = options;
    home.create();
    await using resources = new AsyncDisposableStack();
    const journal = resources.use(await openSqliteLog({ file: home.journalFile }));
    const index = resources.use(await openSqliteIndex({ file: home.indexFile, contentVersion: projectionVersion }));
    const runtime = new Runtime(options, journal, index);
    resources.move();
    return runtime;
  }

  /** Probes an agent on this machine. */
  probe(id: string): Promise<ProbeResult> {
    const adapter = this.registry.find(id);
    return adapter.probe(this.#probes.wrap(createProbeHost(this.#environment, adapter.manifest.environment)));
  }

  /** Starts a session. Rejects invalid options before it starts a process. */
  async start(options: StartOptions): Promise<Session> {
    return await this.#starter.start(options);
  }

  /**
   * Attaches to a session, and takes it over from the process that drives it. If its agent is gone, records the loss.
   * The signal cancels an attach that is waiting, for example for a disk or for a keeper that does not respond.
   */
  async attach(session: string, signal?: AbortSignal): Promise<Session> {
    const adapter = this.registry.find((await this.catalog.readFirstEvent(session)).agent);
    await this.#failedStarts.release(session);
    const keeper = await findKeeper(this.#home.sessionFolder(session), { signal });
    const actor = await this.#actors.start(session, adapter, keeper, { signal });
    return new Session(session, actor, this.#journal, this.#conversations);
  }

  /** Kills the keeper of a session and every process of its agent. `cause` is why no command can end the session. */
  async killKeeper(session: string, cause?: unknown): Promise<void> {
    if (cause !== undefined) this.#actors.expectForcedEnd(session, describeForcedEnd(cause));
    await endKeeper(this.#home.sessionFolder(session));
  }

  /** Removes what killed processes have left of sessions that they were starting. Never rejects. */
  async sweepFailedStarts(): Promise<void> {
    await this.#failedStarts.sweep();
    await this.copies.sweep();
  }

  /** Records the end of a session whose processes were killed and whose actor cannot record it. */
  async recordForcedEnd(session: string, cause: unknown): Promise<void> {
    const options = { session, cause, home: this.#home, journal: this.#journal, owner: this.owner };
    await recordForcedEnd({ ...options, ...this.#journalOptions });
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
    { newId, endSession, limits, approvalsRequired = false }: SessionResumeOptions = {},
  ): Promise<Session> {
    const isEnded = async (): Promise<boolean> => (await this.summary(session)).state === "ended";
    if (outcome === "native" && !(await isEnded())) {
      const attached = await attachAndResume(() => this.attach(session));
      if (!attached.state.ledger.over) return attached;
      await attached[Symbol.asyncDispose]();
    }
    // Planned first, so that a continuation which is refused does not end the session.
    let plan = await this.#continuations.planContinuation(session, outcome, limits);
    if (!(await isEnded())) {
      if (endSession === undefined)
        throw new FairleadError("conflict", `Session ${session} has not ended. End it first, then continue it.`);
      await this.#starter.check(plan);
      await endSession();
      plan = await this.#continuations.planContinuation(session, outcome, limits);
    }
    const { name, ...start } = plan;
    // The new session keeps the name, unless another open session has it: a paused one that it continues, for example.
    const keepsName = name !== undefined && (await this.#names.isFree(name, newId));
    const options = { ...(keepsName && { name }), ...(newId !== undefined && { session: newId }), approvalsRequired };
    return await this.start({ ...start, ...options });
  }

  /**
   * Continues from a checkpoint: resumes its session if this journal has it, otherwise starts a new session that
   * continues the agent's own conversation. If the agent does not have the conversation, the new session fails; it never
   * starts without it. `settings` has the values of `checkpoint.secretSettings`, which a checkpoint does not contain.
   */
  async resumeFrom(checkpoint: SessionCheckpoint, settings: Settings = {}): Promise<Session> {
    if (await this.catalog.has(checkpoint.session)) return await this.resume(checkpoint.session);
    return await this.start(this.#continuations.planRestore(checkpoint, settings));
  }

  /**
   * Starts a session with a copy of the conversation so far. The original session does not change. Throws `not-supported`
   * if the agent cannot copy its own conversation, unless the caller accepts the outcome `rebuilt` or `fresh`.
   */
  async fork(session: string, options: SessionForkOptions = {}): Promise<Session> {
    await this.catchUp(session);
    return await this.start(await this.#continuations.planFork(session, options));
  }

  /** Reads a session's events after a sequence number, from the journal only. With a signal, also yields new events. */
  async *events(session: string, after: number, signal?: AbortSignal): AsyncGenerator<Event> {
    try {
      yield* decodeEvents(signal ? this.#journal.watch(session, after, signal) : this.#journal.read(session, after));
    } catch (error) {
      if (FairleadError.is(error, "corrupt")) await this.projections.recordDamage(session);
      throw error;
    }
  }

  /** Appends to the journal what happened in a session since its owner exited. Does nothing if its owner runs. */
  async catchUp(session: string): Promise<void> {
    if (await isAbandoned(this.#journal, session)) await (await this.attach(session))[Symbol.asyncDispose]();
  }

  /**
   * Removes a session that has ended, and its isolated copy. Throws `conflict` if it has not, or if the copy has work.
   * `removeStoredOutcomes` runs before the session is gone, so that a crash cannot leave such data behind.
   */
  async forget(session: string, removeStoredOutcomes?: () => void): Promise<void> {
    const removeCopy = await this.copies.release(session);
    await forgetSession(this.#home, this.#journal, session, removeStoredOutcomes);
    // Last, so that a session whose removal was interrupted is still listed.
    await this.projections.forget(session);
    await removeCopy();
  }

  /**
   * Ends the keepers and agents of all sessions that this process drives, and records nothing. For a data directory that was
   * removed. The caller must exit at once, because actors start new keepers.
   */
  terminateKeepers(): void {
    terminateProcesses([...this.#actors.keeperPids, ...(this.#spares.pid === undefined ? [] : [this.#spares.pid])]);
  }

  /** Whether a session has no keeper, and therefore no agent. False if that cannot be determined now. */
  hasNoKeeper(session: string): boolean {
    return isKeeperGone(this.#home.sessionFolder(session));
  }

  list(): AsyncIterable<SessionSummary> {
    return this.#directory.list();
  }

  summary(session: string): Promise<SessionSummary> {
    return this.#directory.summary(session);
  }

  find(prefix: string): Promise<string> {
    return this.#directory.find(prefix);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#starter[Symbol.dispose]();
    await this.#failedStarts[Symbol.asyncDispose]();
    await this.#actors[Symbol.asyncDispose]();
    await this.#spares[Symbol.asyncDispose]();
    await this.projections[Symbol.asyncDispose]();
    await this.#index[Symbol.asyncDispose]();
    await this.#journal[Symbol.asyncDispose]();
    this.#registration[Symbol.dispose]();
  }
}
