import type {
  AgentView,
  Checkpoint,
  Diff,
  DiffQuery,
  FileView,
  SearchPage,
  SearchQuery,
  SessionView,
  TurnPage,
  TurnQuery,
  UsageView,
} from "@fairlead/api";
import { capabilitiesOver, FairleadError, type Event, type Manifest, type Opening } from "@fairlead/contract";
import {
  createCheckpoint,
  markDiscarded,
  secretSettingNames,
  unknownSession,
  type Home,
  type Runtime,
  type Session,
  type SessionProjection,
  type SessionProjections,
  type SessionSummary,
  type Sessions,
} from "@fairlead/runtime";
import { IndexQueries, toUsageViews } from "./index-queries.ts";
import type { LocalFairleadOptions } from "./local-fairlead-options.ts";
import { OutlineFiles } from "./reading/outline-files.ts";
import { searchSession } from "./reading/search-session.ts";
import { type DiffSource, SessionDiff } from "./reading/session-diff.ts";
import { SessionOutlines } from "./reading/session-outlines.ts";
import { type SessionFacts, toAgentView, toSessionView } from "./views.ts";

export interface QueriesOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  readonly home: Home;
  /** Whether the conformance suite has ever passed with an agent. */
  readonly isVerified: (agent: string) => boolean;
  readonly judged: NonNullable<LocalFairleadOptions["judged"]>;
}

/** The read-only part of the service. */
export class Queries extends IndexQueries {
  readonly #options: QueriesOptions;
  readonly #projections: SessionProjections;
  readonly #outlines: SessionOutlines;

  constructor(options: QueriesOptions) {
    const { projections } = options.runtime;
    super({ projections, view: (facts, owner) => this.#view(facts, owner) });
    this.#options = options;
    this.#projections = projections;
    this.#outlines = new SessionOutlines({
      events: (id, after) => options.runtime.events(id, after),
      store: new OutlineFiles(options.home),
    });
  }

  /** Adds an event that this process has appended to the outline of its session. */
  addToOutline(event: Event): void {
    this.#outlines.add(event);
  }

  /** Returns a page of the turns of a session. */
  async turns(id: string, query?: TurnQuery): Promise<TurnPage> {
    return await this.#outlines.page(id, query);
  }

  /** Finds a text in a session. */
  async search(id: string, query: SearchQuery): Promise<SearchPage> {
    const { runtime } = this.#options;
    const { last } = await runtime.engine.log.tail(id);
    const events = (after: number, limit: number): AsyncIterable<Event> => runtime.events(id, after, undefined, limit);
    return await searchSession({ events, last }, query);
  }

  async agents(): Promise<AgentView[]> {
    const { runtime, isVerified, judged } = this.#options;
    const view = async (adapter: (typeof runtime.registry.all)[number]): Promise<AgentView> => {
      const { id } = adapter.manifest;
      return toAgentView(adapter, await runtime.probe(id), { isVerified: isVerified(id), judged: judged(id) });
    };
    return await Promise.all(runtime.registry.all.map(view));
  }

  async session(id: string): Promise<SessionView> {
    const { owner } = await this.#options.runtime.catalog.readTail(id);
    return await this.#view(await this.#projection(id), owner);
  }

  override async usage(id?: string): Promise<UsageView[]> {
    return id === undefined ? await super.usage() : await toUsageViews(await this.#projection(id));
  }

  async files(id: string): Promise<FileView[]> {
    const { sessions } = this.#options;
    await sessions.getIfDriven(id)?.compareFiles();
    const { workspace } = await this.session(id);
    return await this.#outlines.read(id, ({ files, sandbox }) => markDiscarded(files, workspace, sandbox ?? undefined));
  }

  async diff(id: string, query?: DiffQuery): Promise<Diff> {
    const { runtime, sessions } = this.#options;
    await sessions.getIfDriven(id)?.compareFiles();
    const { workspace } = await this.session(id);
    const source: DiffSource = {
      session: id,
      workspace,
      // What a damaged session, or one without its adapter, started from is unknown.
      startCommit: () =>
        this.opening(id).then(
          ({ startCommit }) => startCommit,
          () => undefined,
        ),
      lastTree: async () => (await this.#sessionState(id)).state.files?.tree ?? null,
      findTurn: (number) => this.#findTurn(id, number),
    };
    return await new SessionDiff(runtime.catalog).read(source, query);
  }

  async #findTurn(session: string, number: number): Promise<string> {
    const { turn, total } = await this.#outlines.read(session, ({ turns }) => ({
      turn: turns[number - 1]?.turn,
      total: turns.length,
    }));
    if (turn !== undefined) return turn;
    const count = total === 1 ? "1 turn" : `${total} turns`;
    throw new FairleadError("invalid-request", `The session has no turn ${number}: it has ${count}.`);
  }

  async checkpoint(id: string): Promise<Checkpoint> {
    const { state, last } = await this.#sessionState(id);
    const { agent = "", settings = {} } = state.opening ?? {};
    const manifest = this.#findManifest(agent);
    // Without its adapter, it is unknown which settings are secret.
    const secretNames = manifest === undefined ? Object.keys(settings) : secretSettingNames(manifest);
    return createCheckpoint(state, last, Date.now(), secretNames);
  }

  /** Returns the agent, the mode and the settings that a session was opened with. */
  async opening(id: string): Promise<Opening> {
    const { state } = await this.#sessionState(id);
    if (state.opening !== null) return state.opening;
    throw new FairleadError("unavailable", `Session ${id} is being started. Try again.`);
  }

  async #sessionState(id: string): Promise<{ readonly state: Session["state"]; readonly last: number }> {
    const { runtime, sessions } = this.#options;
    const driven = sessions.getIfDriven(id);
    if (driven !== undefined) return { state: driven.state, last: driven.lastSequence };
    const { agent, last } = await this.session(id);
    return { state: runtime.catalog.replay(id, agent).state, last };
  }

  async #view({ summary, activity }: SessionFacts, owner: string): Promise<SessionView> {
    const { runtime, sessions } = this.#options;
    const { session, agent } = summary;
    const manifest = this.#findManifest(agent);
    const isLost = await sessions.isLost(session, owner);
    const facts = { summary, activity };
    return toSessionView(facts, {
      label: manifest?.label ?? agent,
      capabilities: manifest ? capabilitiesOver(manifest, summary.agentVersion, summary.protocol) : [],
      driven: sessions.getIfDriven(session),
      failure: sessions.failureOf(session),
      hasNoKeeper: () => runtime.hasNoKeeper(session),
      isLost,
      now: Date.now(),
    });
  }

  async #projection(id: string): Promise<SessionProjection & { readonly summary: SessionSummary }> {
    const projection = await this.#projections.read(id);
    if (projection?.summary === undefined) throw unknownSession(id);
    return projection as typeof projection & { readonly summary: SessionSummary };
  }

  /** Returns the manifest of an agent; undefined if its adapter is gone. */
  #findManifest(agent: string): Manifest | undefined {
    return this.#options.runtime.registry.all.find(({ manifest }) => manifest.id === agent)?.manifest;
  }
}
