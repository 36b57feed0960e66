import { capabilitiesOf, FairleadError } from "@fairlead/contract";
import type { Continuation, Event, ProbeResult, Opening } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import type { SessionCatalog } from "./session-catalog.ts";
import type { SessionCheckpoint } from "./session-checkpoint.ts";
import { isSafeAgentSessionId } from "../actor/locate-transcript.ts";
import { buildPreamble } from "./preamble.ts";
import type { AdapterRegistry } from "../config/adapter-registry.ts";
import type { StartOptions } from "./start-options.ts";

export interface SessionForkOptions {
  /** The id of the new session. Random by default. */
  readonly session?: string;
  readonly name?: string;
  /** Another workspace. Agents store conversations by folder, so the conversation is then rebuilt. */
  readonly workspace?: string;
}

interface ContinuationPlannerOptions {
  readonly catalog: SessionCatalog;
  readonly registry: AdapterRegistry;
  events(session: string): AsyncIterable<Event>;
  probe(agent: string): Promise<ProbeResult>;
}

/** Plans the start of a session that continues the conversation of another one. */
export class ContinuationPlanner {
  readonly #options: ContinuationPlannerOptions;

  constructor(options: ContinuationPlannerOptions) {
    this.#options = options;
  }

  /** Plans the continuation of a session that has ended, with the outcome that the caller accepts. */
  async planContinuation(session: string, outcome: Continuation["outcome"]): Promise<StartOptions> {
    const { last: after } = await this.#options.catalog.readTail(session);
    const { opening, agentSessionId, pendingContext } = await this.#readFinalState(session);
    const { agent, workspace, mode, settings } = opening;
    if (outcome === "native" && agentSessionId === null) {
      throw new FairleadError(
        "not-supported",
        `Session ${session} has ended, and its agent stores no conversation that could be continued. Accept the outcome "rebuilt" or "fresh".`,
      );
    }
    const continues = { session, agentSessionId: outcome === "native" ? agentSessionId : null, outcome, after };
    const preamble = outcome === "rebuilt" ? await this.#preamble(session, after) : [];
    return { agent, workspace, mode, settings, continues, injected: [...preamble, ...pendingContext] };
  }

  async planFork(session: string, options: SessionForkOptions): Promise<StartOptions> {
    const { last: after } = await this.#options.catalog.readTail(session);
    const { opening, agentSessionId, pendingContext } = await this.#readFinalState(session);
    const { agent, mode, settings } = opening;
    const workspace = options.workspace ?? opening.workspace;
    const start = { agent, workspace, mode, settings, ...(options.name !== undefined && { name: options.name }) };
    if (agentSessionId !== null && workspace === opening.workspace && (await this.#canFork(agent))) {
      return {
        ...start,
        injected: pendingContext,
        continues: { session, agentSessionId, outcome: "native", fork: true, after },
      };
    }
    const preamble = await this.#preamble(session, after);
    const continues = { session, agentSessionId: null, outcome: "rebuilt", fork: true, after } as const;
    return { ...start, injected: [...preamble, ...pendingContext], continues };
  }

  /** Plans the continuation of a session that this journal does not have, but whose conversation the agent may have. */
  planRestore({
    session,
    agentSessionId,
    agent,
    workspace,
    mode,
    settings,
    injected,
    sequence: after,
  }: SessionCheckpoint): StartOptions {
    if (agentSessionId === null) {
      const message = `The checkpoint of session ${session} cannot be restored: it has no agent session id, and this journal does not have the session.`;
      throw new FairleadError("not-supported", message);
    }
    if (!isSafeAgentSessionId(agentSessionId)) {
      const message = `The checkpoint of session ${session} cannot be restored: its agent session id is not a plain name.`;
      throw new FairleadError("invalid-request", message);
    }
    return {
      agent,
      workspace,
      mode,
      settings,
      injected,
      continues: { session, agentSessionId, outcome: "native", after },
    };
  }

  async #canFork(id: string): Promise<boolean> {
    const { version, flags } = await this.#options.probe(id);
    return capabilitiesOf(this.#options.registry.find(id).manifest, version, flags).includes("fork");
  }

  async #readFinalState(session: string): Promise<SessionState & { readonly opening: Opening }> {
    const { catalog } = this.#options;
    const { state } = catalog.replay(session, (await catalog.readFirstEvent(session)).agent);
    if (state.opening === null)
      throw new FairleadError("session-not-found", `The spool of session ${session} is empty.`);
    return { ...state, opening: state.opening };
  }

  async #preamble(session: string, last: number): Promise<string[]> {
    return await buildPreamble((id) => this.#options.events(id), session, last);
  }
}
