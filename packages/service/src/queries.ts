import type {
  AgentView,
  Checkpoint,
  DecisionView,
  Diff,
  DiffQuery,
  FileView,
  SessionPage,
  SessionQuery,
  SessionView,
  UsageView,
} from "@fairlead/api";
import {
  capabilitiesOver,
  FairleadError,
  type Event,
  type Manifest,
  type Opening,
  type Rooms,
  type Sandbox,
} from "@fairlead/contract";
import {
  findWorkspaceChanges,
  createCheckpoint,
  estimateTotal,
  listChangedFiles,
  markDiscarded,
  roomScope,
  secretSettingNames,
  unknownSession,
  type RoomScope,
  type Runtime,
  type Session,
  type SessionProjection,
  type SessionProjections,
  type SessionSummary,
  type Sessions,
} from "@fairlead/runtime";
import type { SessionRow, SessionRowPage } from "@fairlead/journal";
import { rowStatesOf } from "./row-states-of.ts";
import { toAgentView, toSessionView, toUsageView } from "./views.ts";

export interface QueriesOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  /** Whether the conformance suite has ever passed with an agent. */
  readonly isVerified: (agent: string) => boolean;
}

/** The states of rows whose sessions a process drives, or should. */
const openStates = ["idle", "working", "waiting"];
const settledStates = ["paused", "ended", "damaged"];
const defaultPageSize = 100;
/** Milliseconds that a page waits for an index that is being rebuilt. */
const maxIndexWaitMs = 5000;

/** The number of sessions of one agent in one state. */
export interface SessionCount {
  readonly agent: string;
  readonly state: SessionView["state"];
  readonly count: number;
}

/** The read-only part of the service. */
export class Queries {
  readonly #options: QueriesOptions;
  readonly #projections: SessionProjections;

  constructor(options: QueriesOptions) {
    this.#options = options;
    this.#projections = options.runtime.projections;
  }

  async agents(): Promise<AgentView[]> {
    const { runtime, isVerified } = this.#options;
    const view = async (adapter: (typeof runtime.registry.all)[number]): Promise<AgentView> =>
      toAgentView(adapter, await runtime.probe(adapter.manifest.id), isVerified(adapter.manifest.id));
    return await Promise.all(runtime.registry.all.map(view));
  }

  /**
   * Returns a page of sessions. Reads only the rows of the page, and rows of open sessions whose state differs from the
   * one in the index: whether a session is silent or lost depends on the time and on other processes.
   */
  async sessions({
    state: states,
    order,
    limit = defaultPageSize,
    cursor,
    ...query
  }: SessionQuery): Promise<SessionPage> {
    const isComplete = await this.#projections.waitUntilComplete(maxIndexWaitMs);
    const rowQuery = { ...query, ...(states && { states: rowStatesOf(states) }) };
    const sessions: SessionView[] = [];
    let next: string | null | undefined = cursor;
    do {
      const page: SessionRowPage = await this.#projections.page(rowQuery, {
        limit: limit - sessions.length,
        ...(order && { order }),
        ...(next !== undefined && { cursor: next }),
      });
      for (const row of page.rows) {
        const projection = this.#projections.projectionOf(row);
        const view = projection.summary && this.#view(projection.summary, row.owner);
        if (view === undefined || states?.includes(view.state) === false) continue;
        sessions.push({ ...view, estimate: await estimateTotal(projection.usage) });
      }
      next = page.next;
    } while (next !== null && sessions.length < limit);
    return { sessions, next, pending: isComplete ? 0 : Math.max(1, this.#projections.pendingCount) };
  }

  /** Counts the sessions by agent and state. Reads the rows of open sessions only: the index has the other numbers. */
  async countSessions(): Promise<SessionCount[]> {
    const counts = new Map<string, SessionCount>();
    const add = (agent: string, state: SessionView["state"], count: number): void => {
      const key = JSON.stringify([agent, state]);
      counts.set(key, { agent, state, count: (counts.get(key)?.count ?? 0) + count });
    };
    for (const { agent, state, count } of await this.#projections.count({ states: settledStates }))
      add(agent, state as SessionView["state"], count);
    for await (const row of this.#projections.list({ states: openStates })) {
      const view = this.#viewOfRow(row);
      if (view !== undefined) add(view.agent, view.state, 1);
    }
    return [...counts.values()];
  }

  async session(id: string): Promise<SessionView> {
    const { owner } = await this.#options.runtime.catalog.readTail(id);
    return this.#view((await this.#projection(id)).summary, owner);
  }

  async decisions(): Promise<DecisionView[]> {
    const rows = await Array.fromAsync(this.#projections.list({ states: ["waiting"] }));
    return rows.flatMap((row) => this.#projections.projectionOf(row).openDecisions);
  }

  async usage(id?: string): Promise<UsageView[]> {
    const views = async ({ usage, summary }: SessionProjection): Promise<UsageView[]> => {
      const { workspace = "", room = null } = summary ?? {};
      return await Promise.all(usage.map((one) => toUsageView(one, { workspace, room })));
    };
    if (id !== undefined) return await views(await this.#projection(id));
    await this.#projections.waitUntilComplete();
    const all: UsageView[] = [];
    for await (const row of this.#projections.list({})) all.push(...(await views(this.#projections.projectionOf(row))));
    return all;
  }

  /** Lists the sessions that are paused until a time. */
  async *listParked(): AsyncGenerator<{ readonly session: string; readonly until: string }> {
    await this.#projections.waitUntilComplete();
    for await (const row of this.#projections.list({ states: ["paused"] })) {
      const until = this.#projections.projectionOf(row).summary?.pausedUntil ?? null;
      if (until !== null) yield { session: row.session, until };
    }
  }

  /** Lists the open sessions that agents started. */
  async *listDelegated(): AsyncGenerator<{ readonly session: string; readonly parent: string }> {
    await this.#projections.waitUntilComplete();
    for await (const row of this.#projections.list({ states: [...openStates, "paused", "damaged"] })) {
      const parent = this.#projections.projectionOf(row).summary?.parent?.session;
      if (parent !== undefined) yield { session: row.session, parent };
    }
  }

  async files(id: string): Promise<FileView[]> {
    const { runtime, sessions } = this.#options;
    await sessions.getIfDriven(id)?.compareFiles();
    const { workspace } = await this.session(id);
    const changes: Event[] = [];
    let rooms: Rooms = {};
    let sandbox: Sandbox | undefined;
    // Of a long session, only these events fit into the memory.
    for await (const event of runtime.events(id, 0)) {
      if (event.body.type === "session.started") ({ rooms = {}, sandbox } = event.body);
      if (event.body.type === "file.changed") changes.push(event);
    }
    return markDiscarded(listChangedFiles(changes, workspace, rooms), workspace, sandbox);
  }

  async diff(id: string, { turn, room }: DiffQuery = {}): Promise<Diff> {
    const { runtime, sessions } = this.#options;
    await sessions.getIfDriven(id)?.compareFiles();
    const { workspace } = await this.session(id);
    const scope = room === undefined ? undefined : roomScope(await this.#readRooms(id), room);
    if (turn !== undefined) return await this.#diffTurn(id, turn, workspace, scope);
    // What a damaged session, or one without its adapter, started from is unknown.
    const since = await this.opening(id).then(
      ({ startCommit }) => startCommit,
      () => undefined,
    );
    const index = runtime.catalog.keptIndexFile(id);
    const { base, patch, truncated } = await findWorkspaceChanges(workspace, {
      since,
      index,
      ...(scope && { scope }),
    });
    return { base, patch, truncated };
  }

  /** Returns the rooms that a session was started with. */
  async #readRooms(id: string): Promise<Rooms> {
    const { body } = await this.#options.runtime.catalog.readFirstEvent(id);
    return (body.type === "session.started" && body.rooms) || {};
  }

  async #diffTurn(session: string, number: number, workspace: string, scope?: RoomScope): Promise<Diff> {
    const { runtime } = this.#options;
    const turns: string[] = [];
    for await (const { body } of runtime.events(session, 0)) if (body.type === "turn.started") turns.push(body.turn);
    const turn = turns[number - 1];
    if (turn === undefined) {
      const count = turns.length === 1 ? "1 turn" : `${turns.length} turns`;
      throw new FairleadError("invalid-request", `The session has no turn ${number}: it has ${count}.`);
    }
    const { state } = await this.#sessionState(session);
    const lastTree = state.files?.tree ?? null;
    const { omitted, ...diff } = await runtime.catalog.findTurnChanges({
      session,
      workspace,
      turn,
      lastTree,
      ...(scope && { scope }),
    });
    return { base: null, ...diff, ...(omitted.length > 0 && { omitted: [...omitted] }) };
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

  #viewOfRow(row: SessionRow): SessionView | undefined {
    const { summary } = this.#projections.projectionOf(row);
    return summary && this.#view(summary, row.owner);
  }

  #view(summary: SessionSummary, owner: string): SessionView {
    const { runtime, sessions } = this.#options;
    const { session, agent } = summary;
    const manifest = this.#findManifest(agent);
    return toSessionView(summary, {
      label: manifest?.label ?? agent,
      capabilities: manifest ? capabilitiesOver(manifest, summary.agentVersion, summary.protocol) : [],
      driven: sessions.getIfDriven(session),
      failure: sessions.failureOf(session),
      hasNoKeeper: () => runtime.hasNoKeeper(session),
      isLost: sessions.isLost(session, owner),
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
