import type { AgentView, Checkpoint, DecisionView, Diff, FileView, SessionView, UsageView } from "@fairlead/api";
import { capabilitiesOver, FairleadError, type Manifest } from "@fairlead/contract";
import {
  findWorkspaceChanges,
  createCheckpoint,
  listChangedFiles,
  type Runtime,
  type SessionSummary,
  type SessionTail,
  type Sessions,
} from "@fairlead/runtime";
import type { SessionProjection } from "./session-projection.ts";
import { SessionProjections } from "./session-projections.ts";
import { toAgentView, toSessionView } from "./views.ts";

export interface QueriesOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  /** Whether the conformance suite has ever passed with an agent. */
  readonly isVerified: (agent: string) => boolean;
}

/** The read-only part of the service. */
export class Queries {
  readonly #options: QueriesOptions;
  readonly #projections: SessionProjections;

  constructor(options: QueriesOptions) {
    this.#options = options;
    this.#projections = new SessionProjections((session, after) => options.runtime.events(session, after));
  }

  async agents(): Promise<AgentView[]> {
    const { runtime, isVerified } = this.#options;
    const view = async (adapter: (typeof runtime.registry.all)[number]): Promise<AgentView> =>
      toAgentView(adapter, await runtime.probe(adapter.manifest.id), isVerified(adapter.manifest.id));
    return await Promise.all(runtime.registry.all.map(view));
  }

  async sessions(): Promise<SessionView[]> {
    const views: SessionView[] = [];
    for await (const tail of this.#options.runtime.catalog.listTails()) views.push(await this.#view(tail));
    return views;
  }

  async session(id: string): Promise<SessionView> {
    return await this.#view(await this.#options.runtime.catalog.readTail(id));
  }

  async decisions(): Promise<DecisionView[]> {
    return (await this.#allProjections()).flatMap(({ openDecisions }) => openDecisions);
  }

  async usage(id?: string): Promise<UsageView[]> {
    const projections = id === undefined ? await this.#allProjections() : [await this.#projection(id)];
    return projections.flatMap(({ usage }) => usage.views);
  }

  async files(id: string): Promise<FileView[]> {
    return listChangedFiles(await Array.fromAsync(this.#options.runtime.events(id, 0)));
  }

  async diff(id: string): Promise<Diff> {
    const { workspace } = await this.session(id);
    const { base, patch, truncated } = await findWorkspaceChanges(workspace);
    return { base, patch, truncated };
  }

  async checkpoint(id: string): Promise<Checkpoint> {
    const { runtime, sessions } = this.#options;
    const driven = sessions.getIfDriven(id);
    if (driven !== undefined) return createCheckpoint(driven.state, driven.lastSequence, Date.now());
    const { agent, last } = await this.session(id);
    return createCheckpoint(runtime.catalog.replay(id, agent).state, last, Date.now());
  }

  /** Removes the cached projection of a forgotten session. */
  forget(id: string): void {
    this.#projections.forget(id);
  }

  async #view(tail: SessionTail): Promise<SessionView> {
    const { sessions } = this.#options;
    const { session, owner } = tail;
    const summary = await this.#summary(tail);
    const manifest = this.#findManifest(summary.agent);
    return toSessionView(summary, {
      label: manifest?.label ?? summary.agent,
      capabilities: manifest ? capabilitiesOver(manifest, summary.agentVersion, summary.protocol) : [],
      driven: sessions.getIfDriven(session),
      failure: sessions.failureOf(session),
      isLost: sessions.isLost(session, owner),
      now: Date.now(),
    });
  }

  /** Summarizes a session. One that cannot be read as a whole must not hide all others, so it is damaged instead. */
  async #summary({ session, last, damage }: SessionTail): Promise<SessionSummary> {
    const { catalog } = this.#options.runtime;
    try {
      if (damage !== undefined) throw damage;
      const { summary } = await this.#projections.projectUpTo(session, last);
      if (summary !== undefined) return summary;
      throw new TypeError(`The journal of session ${session} does not begin with the start of the session.`);
    } catch (error) {
      // The journal cannot be read at all now, which says nothing about this session.
      if (FairleadError.is(error, "unavailable")) throw error;
      return await catalog.summarizeDamaged(session, error, this.#projections.get(session)?.summary);
    }
  }

  async #projection(id: string): Promise<SessionProjection> {
    return await this.#projections.projectUpTo(id, (await this.#options.runtime.catalog.readTail(id)).last);
  }

  async #allProjections(): Promise<SessionProjection[]> {
    const projections: SessionProjection[] = [];
    for await (const { session, last, damage } of this.#options.runtime.catalog.listTails()) {
      if (damage !== undefined) continue;
      try {
        projections.push(await this.#projections.projectUpTo(session, last));
      } catch (error) {
        if (FairleadError.is(error, "unavailable")) throw error; // otherwise this session is damaged: see `#summary`
      }
    }
    return projections;
  }

  /** Returns the manifest of an agent; undefined if its adapter is gone. */
  #findManifest(agent: string): Manifest | undefined {
    return this.#options.runtime.registry.all.find(({ manifest }) => manifest.id === agent)?.manifest;
  }
}
