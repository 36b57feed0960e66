import { existsSync } from "node:fs";
import {
  FairleadError,
  type Adapter,
  type Event,
  type Finding,
  type Opening,
  type Continuation,
} from "@fairlead/contract";
import { openSqliteLog, type Journal } from "@fairlead/journal";
import { findKeeper, KeeperGone, spoolFolder, SpoolReader, startKeeper, type KeeperConnection } from "@fairlead/keeper";
import type { Environment } from "./child-environment.ts";
import { realClock } from "./clock.ts";
import { eventsOf, newestEvent } from "./event-bytes.ts";
import { forgetSession } from "./forget-session.ts";
import type { Home } from "./home.ts";
import { Catalogue } from "./catalogue.ts";
import { FoldFile } from "./kept-fold.ts";
import { newName } from "./names.ts";
import { isOwnerAlive, ownerName } from "./owner.ts";
import { Pen } from "./pen.ts";
import { ProbeCache } from "./probe-cache.ts";
import { probeHost } from "./probe-host.ts";
import { usableFold } from "./usable-fold.ts";
import { SpareKeepers } from "./spare-keepers.ts";
import { acceptedSettings, acceptMode, Registry } from "./registry.ts";
import type { KeepEvery } from "./actor-parts.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { SessionActor } from "./session-actor.ts";
import { Session } from "./session.ts";
import type { StartOptions } from "./start-options.ts";
import { Succession, type ForkOptions } from "./succession.ts";
import type { Summary } from "./summary.ts";
import { TakenNames } from "./taken-names.ts";

export interface RuntimeOptions {
  readonly home: Home;
  readonly adapters: readonly Adapter[];
  /** What agents may be given of; `process.env` unless tests say otherwise. */
  readonly environment?: Environment;
  /** Keep a keeper started and waiting, as a daemon should: a session then need not wait for one to start. */
  readonly spares?: boolean;
  /** After how much of a spool the fold over it is kept. */
  readonly keepEvery?: KeepEvery;
  /** Told of every event that this process has written into the journal. Must not throw. */
  readonly journaled?: (event: Event) => void;
}

/** Sessions on this machine: start them, find them again, look at them. Disposing lets go of all and stops none. */
export class Runtime implements AsyncDisposable {
  readonly registry: Registry;
  /** What is known of sessions without driving them. */
  readonly catalogue: Catalogue;
  readonly #home: Home;
  readonly #journal: Journal;
  readonly #environment: Environment;
  /** This process, as the journal knows it. */
  readonly owner = ownerName();
  readonly #probes: ProbeCache;
  readonly #spares: SpareKeepers;
  readonly #succession: Succession;
  readonly #names: TakenNames;
  readonly #keeping: { readonly keepEvery?: KeepEvery };
  readonly #telling: Pick<RuntimeOptions, "journaled">;
  readonly #actors = new Set<SessionActor>();

  private constructor(options: RuntimeOptions, journal: Journal) {
    const { home, adapters, environment = process.env } = options;
    this.registry = new Registry(adapters);
    this.#home = home;
    this.#environment = environment;
    this.#journal = journal;
    this.catalogue = new Catalogue(home, journal, this.registry);
    const events = (session: string): AsyncIterable<Event> => this.events(session, 0);
    const probe = (id: string): Promise<Finding> => this.probe(id);
    this.#succession = new Succession({ catalogue: this.catalogue, registry: this.registry, events, probe });
    this.#names = new TakenNames(this.catalogue);
    this.#probes = new ProbeCache(home.probes);
    this.#spares = new SpareKeepers(home.spares);
    if (options.spares) this.#spares.begin();
    this.#keeping = options.keepEvery === undefined ? {} : { keepEvery: options.keepEvery };
    this.#telling = options.journaled === undefined ? {} : { journaled: options.journaled };
  }

  static async open(options: RuntimeOptions): Promise<Runtime> {
    options.home.make();
    return new Runtime(options, await openSqliteLog({ file: options.home.journal }));
  }

  /** What an agent is like on this machine. */
  probe(id: string): Promise<Finding> {
    const adapter = this.registry.find(id);
    return adapter.probe(this.#probes.before(probeHost(this.#environment, adapter.manifest.environment)));
  }

  /** Starts a session. Everything that can be refused is refused before a process is started. */
  async start(options: StartOptions): Promise<Session> {
    const adapter = this.registry.find(options.agent);
    const mode = options.mode ?? "default";
    acceptMode(adapter, mode);
    const settings = acceptedSettings(adapter, options.settings ?? {});
    const finding = await this.probe(options.agent);
    if (!finding.installed) throw new FairleadError("not-installed", finding.problems.join(" "));
    using _reserved = await this.#names.reserve(options.name, options.session);
    const session = options.session ?? newName();
    const opening: Opening = {
      session,
      name: options.name ?? null,
      agent: adapter.manifest.id,
      adapterVersion: adapter.manifest.version,
      workspace: options.workspace,
      mode,
      settings,
      finding,
      continues: options.continues ?? null,
    };
    const known = options.session === undefined ? "gone" : await findKeeper(this.#home.session(session));
    const actor = await this.#drive(session, adapter, known);
    const { injected = [] } = options;
    // Sent together, so that one sync does for all; the keeper takes them in this order.
    await Promise.all([
      actor.note({ type: "opening", opening }, "opening"),
      ...injected.map((text, at) => actor.note({ type: "wish", wish: { type: "inject", text } }, `inject-${at}`)),
      actor.note({ type: "wish", wish: { type: "open" } }, "open"),
    ]);
    return new Session(session, actor, this.#journal);
  }

  /** Takes a session over, from whoever drives it. Its agent is found again, or its loss is written down. */
  async attach(session: string): Promise<Session> {
    const folder = this.#home.session(session);
    const adapter = this.registry.find((await this.catalogue.first(session)).agent);
    const actor = await this.#drive(session, adapter, await findKeeper(folder));
    return new Session(session, actor, this.#journal);
  }

  /**
   * Goes on with a conversation: takes over a running session, resumes a paused one, and for one that has ended starts
   * a new session that continues it. In the agent's own memory, unless the caller consents to less: to what our journal
   * has of it (`rebuilt`), or to none of it (`fresh`); those two always start a new session. The new one has the id
   * `as`, if that is given.
   */
  async resume(session: string, outcome: Continuation["outcome"] = "native", as?: string): Promise<Session> {
    const summary = await this.catalogue.summary(session);
    if (summary.state !== "ended" && outcome === "native") {
      const attached = await this.#takeUp(session);
      if (!attached.state.ledger.over) return attached;
      await attached[Symbol.asyncDispose]();
    }
    const start = await this.#succession.continued(session, outcome);
    return await this.start({ ...start, ...(as !== undefined && { session: as }) });
  }

  /**
   * Goes on from a checkpoint: with its session where that is known, and elsewhere with a new one that continues the
   * agent's own conversation. One that the agent does not know is an error of the new session, never a fresh start.
   */
  async resumeFrom(checkpoint: Checkpoint): Promise<Session> {
    if (await this.catalogue.knows(checkpoint.session)) return await this.resume(checkpoint.session);
    return await this.start(this.#succession.restored(checkpoint));
  }

  /**
   * Starts a session that shares a conversation so far and goes its own way from there; the one that it came from is
   * left as it is. In a copy of the agent's own memory where the agent can make one, and otherwise rebuilt from our
   * journal: `session.resumed` says which.
   */
  async fork(session: string, options: ForkOptions = {}): Promise<Session> {
    await this.catchUp(session);
    const start = await this.#succession.forked(session, options);
    return await this.start({ ...start, ...(options.session !== undefined && { session: options.session }) });
  }

  /** A session's events after a number, from the journal alone: looking on disturbs nobody. */
  events(session: string, after: number, signal?: AbortSignal): AsyncIterable<Event> {
    return eventsOf(signal ? this.#journal.watch(session, after, signal) : this.#journal.read(session, after));
  }

  /** If nobody drives a session, writes down what has happened in it since somebody did. */
  async catchUp(session: string): Promise<void> {
    const { owner } = await this.#journal.tail(session);
    const last = await newestEvent(this.#journal, session);
    if (last === undefined || last.body.type === "session.ended" || isOwnerAlive(owner)) return;
    if (last.body.type === "session.paused") return;
    await (await this.attach(session))[Symbol.asyncDispose]();
  }

  /** Forgets a session that has ended, for good; `conflict` for one that has not. */
  forget(session: string): Promise<void> {
    return forgetSession(this.#home, this.#journal, session);
  }

  list(): AsyncIterable<Summary> {
    return this.catalogue.list();
  }

  summary(session: string): Promise<Summary> {
    return this.catalogue.summary(session);
  }

  find(prefix: string): Promise<string> {
    return this.catalogue.find(prefix);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#actors].map((actor) => actor[Symbol.asyncDispose]()));
    await this.#spares[Symbol.asyncDispose]();
    await this.#journal[Symbol.asyncDispose]();
  }

  /** The keeper of a paused session may be about to leave just when it is wanted again; then another is started. */
  async #takeUp(session: string): Promise<Session> {
    for (let tries = 1; ; tries += 1) {
      const attached = await this.attach(session);
      try {
        if (attached.state.aim === "pause") await attached.resume();
        return attached;
      } catch (error) {
        await attached[Symbol.asyncDispose]();
        if (!(error instanceof KeeperGone) || tries === 3) throw error;
      }
    }
  }

  async #drive(session: string, adapter: Adapter, found: KeeperConnection | "gone"): Promise<SessionActor> {
    const folder = this.#home.session(session);
    const keeper = found === "gone" ? await this.#keeperFor(folder) : found;
    const claim = await this.#journal.claim(session, this.owner);
    const journaled = claim.last === 0 ? 0 : ((await newestEvent(this.#journal, session))?.spool ?? 0);
    const clock = realClock;
    const shelf = new FoldFile(folder);
    const kept = usableFold(shelf, spoolFolder(folder), adapter);
    const actor = new SessionActor({
      adapter,
      pen: new Pen({ session, owner: this.owner, claim, log: this.#journal, clock, ...this.#telling }),
      journaled,
      spool: new SpoolReader(spoolFolder(folder), { after: kept?.after ?? 0, inPlace: true }),
      kept,
      shelf,
      keeper,
      startKeeper: () => startKeeper(folder),
      environment: this.#environment,
      clock,
      ...this.#keeping,
    });
    this.#hold(actor);
    await actor.ready;
    return actor;
  }

  /** Holds an actor until it has come to its end by itself, or until we come to ours. */
  #hold(actor: SessionActor): void {
    this.#actors.add(actor);
    void actor.finished.then(async () => {
      await actor[Symbol.asyncDispose]();
      this.#actors.delete(actor);
    });
  }

  /** A new session may have the spare; one that has a folder already needs a keeper in that folder. */
  async #keeperFor(folder: string): Promise<KeeperConnection> {
    return existsSync(folder) ? await startKeeper(folder) : await this.#spares.take(folder);
  }
}
