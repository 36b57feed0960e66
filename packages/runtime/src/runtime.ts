import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import {
  FairleadError,
  type Adapter,
  type Event,
  type Finding,
  type Opening,
  type PermissionMode,
  type Continuation,
} from "@fairlead/contract";
import { openSqliteLog, type Journal } from "@fairlead/journal";
import { findKeeper, KeeperGone, spoolFolder, SpoolReader, startKeeper, type KeeperConnection } from "@fairlead/keeper";
import type { Environment } from "./child-environment.ts";
import { realClock } from "./clock.ts";
import { eventsOf, newestEvent } from "./event-bytes.ts";
import type { Home } from "./home.ts";
import { Catalogue } from "./catalogue.ts";
import { FoldFile } from "./kept-fold.ts";
import { isOwnerAlive, ownerName } from "./owner.ts";
import { Pen } from "./pen.ts";
import { ProbeCache } from "./probe-cache.ts";
import { preambleOf } from "./preamble.ts";
import { probeHost } from "./probe-host.ts";
import { usableFold } from "./usable-fold.ts";
import { SpareKeepers } from "./spare-keepers.ts";
import { acceptedSettings, acceptMode, Registry } from "./registry.ts";
import type { KeepEvery } from "./actor-parts.ts";
import { SessionActor } from "./session-actor.ts";
import { Session } from "./session.ts";
import type { Summary } from "./summary.ts";

export interface RuntimeOptions {
  readonly home: Home;
  readonly adapters: readonly Adapter[];
  /** What agents may be given of; `process.env` unless tests say otherwise. */
  readonly environment?: Environment;
  /** Keep a keeper started and waiting, as a daemon should: a session then need not wait for one to start. */
  readonly spares?: boolean;
  /** After how much of a spool the fold over it is kept. */
  readonly keepEvery?: KeepEvery;
}

export interface StartOptions {
  readonly adapter: string;
  readonly workspace: string;
  readonly mode?: PermissionMode;
  readonly settings?: unknown;
  /** The ended session whose conversation is to go on. */
  readonly continues?: Continuation;
}

/** Sessions on this machine: start them, find them again, look at them. Disposing lets go of all and stops none. */
export class Runtime implements AsyncDisposable {
  readonly registry: Registry;
  /** What is known of sessions without driving them. */
  readonly catalogue: Catalogue;
  readonly #home: Home;
  readonly #journal: Journal;
  readonly #environment: Environment;
  readonly #owner = ownerName();
  readonly #probes: ProbeCache;
  readonly #spares: SpareKeepers;
  readonly #keeping: { readonly keepEvery?: KeepEvery };
  readonly #sessions = new AsyncDisposableStack();

  private constructor(options: RuntimeOptions, journal: Journal) {
    const { home, adapters, environment = process.env } = options;
    this.registry = new Registry(adapters);
    this.#home = home;
    this.#environment = environment;
    this.#journal = journal;
    this.catalogue = new Catalogue(home, journal, this.registry);
    this.#probes = new ProbeCache(home.probes);
    this.#spares = new SpareKeepers(home.spares);
    if (options.spares) this.#spares.prepare();
    this.#keeping = options.keepEvery === undefined ? {} : { keepEvery: options.keepEvery };
  }

  static async open(options: RuntimeOptions): Promise<Runtime> {
    mkdirSync(options.home.folder, { recursive: true, mode: 0o700 });
    return new Runtime(options, await openSqliteLog({ file: options.home.journal }));
  }

  /** What an agent is like on this machine. */
  probe(id: string): Promise<Finding> {
    const adapter = this.registry.find(id);
    return adapter.probe(this.#probes.before(probeHost(this.#environment, adapter.manifest.environment)));
  }

  /** Starts a session. Everything that can be refused is refused before a process is started. */
  async start(options: StartOptions): Promise<Session> {
    const adapter = this.registry.find(options.adapter);
    const mode = options.mode ?? "default";
    acceptMode(adapter, mode);
    const settings = acceptedSettings(adapter, options.settings ?? {});
    const finding = await this.probe(options.adapter);
    if (!finding.installed) throw new FairleadError("not-installed", finding.problems.join(" "));
    const session = newSessionName();
    const opening: Opening = {
      session,
      adapter: adapter.manifest.id,
      adapterVersion: adapter.manifest.version,
      workspace: options.workspace,
      mode,
      settings,
      finding,
      continues: options.continues ?? null,
    };
    const actor = await this.#drive(session, adapter, "gone");
    // Sent together, so that one sync does for both; the keeper takes them in this order.
    await Promise.all([
      actor.note({ type: "opening", opening }, "opening"),
      actor.note({ type: "wish", wish: { type: "open" } }, "open"),
    ]);
    return new Session(session, actor, this.#journal);
  }

  /** Takes a session over, from whoever drives it. Its agent is found again, or its loss is written down. */
  async attach(session: string): Promise<Session> {
    const folder = this.#home.session(session);
    const adapter = this.registry.find((await this.catalogue.first(session)).provider);
    const actor = await this.#drive(session, adapter, await findKeeper(folder));
    return new Session(session, actor, this.#journal);
  }

  /**
   * Goes on with a conversation: takes over a running session, resumes a paused one, and for one that has ended starts
   * a new session that continues it. In the agent's own memory, unless the caller consents to less: to what our journal
   * has of it (`rebuilt`), or to none of it (`fresh`); those two always start a new session.
   */
  async resume(session: string, outcome: Continuation["outcome"] = "native"): Promise<Session> {
    const summary = await this.catalogue.summary(session);
    if (summary.state !== "ended" && outcome === "native") {
      const attached = await this.#takeUp(session);
      if (!attached.state.ledger.over) return attached;
      await attached[Symbol.asyncDispose]();
    }
    if (outcome === "native" && summary.native === null) {
      throw new FairleadError(
        "not-supported",
        `Session ${session} has ended, and its agent keeps no conversation to go on with; consent to a rebuilt or a fresh one.`,
      );
    }
    const { opening } = this.catalogue.replay(session, summary.adapter).state;
    if (opening === null) throw new FairleadError("session-not-found", `The spool of ${session} is empty.`);
    const { adapter, workspace, mode, settings } = opening;
    const native = outcome === "native" ? summary.native : null;
    const next = await this.start({ adapter, workspace, mode, settings, continues: { session, native, outcome } });
    if (outcome === "rebuilt") next.begin(await preambleOf(this.events(session, 0)));
    return next;
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
    await this.#sessions.disposeAsync();
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
    const claim = await this.#journal.claim(session, this.#owner);
    const journaled = claim.last === 0 ? 0 : ((await newestEvent(this.#journal, session))?.spool ?? 0);
    const clock = realClock;
    const shelf = new FoldFile(folder);
    const kept = usableFold(shelf, spoolFolder(folder), adapter);
    const actor = new SessionActor({
      adapter,
      pen: new Pen({ session, owner: this.#owner, claim, log: this.#journal, clock }),
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
    this.#sessions.use(actor);
    await actor.ready;
    return actor;
  }

  /** A new session may have the spare; one that has a folder already needs a keeper in that folder. */
  async #keeperFor(folder: string): Promise<KeeperConnection> {
    return existsSync(folder) ? await startKeeper(folder) : await this.#spares.take(folder);
  }
}

/** Twelve letters and digits that cannot be mistaken for one another. */
function newSessionName(): string {
  const letters = "0123456789abcdefghjkmnpqrstvwxyz";
  return [...randomBytes(12)].map((byte) => letters[byte % letters.length]).join("");
}
