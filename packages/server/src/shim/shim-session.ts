import type { Checkpoint, Fairlead } from "@fairlead/api";
import type { AdapterEvent, ShimMessageSource } from "./events/adapter-event.ts";
import type { AgentBrief } from "./agent-brief.ts";
import type { SerializedAgentState, SerializedBy } from "./agent-state.ts";
import { mockAgent, scriptPosition } from "./mock-script.ts";
import { openDecisionIds } from "./events/shim-ids.ts";
import { toShimEvents } from "./events/shim-events.ts";
import { type AgentStatus, deriveAgentStatus, initialShimState, type ShimState } from "./events/shim-state.ts";

export interface AgentHandle {
  readonly id: string;
  readonly pluginName: string;
  readonly status: AgentStatus;
  readonly sessionId: string;
}

export interface ShimSessionOptions {
  readonly session: string;
  /** The name of the agent in Fairlead. */
  readonly agent: string;
  readonly brief: AgentBrief;
  readonly mock: boolean;
  /** The completed steps of a mock's script before this session. */
  readonly startPosition?: number;
}

/** A session as a run of the shim protocol. Reads its state from the journal on demand. */
export class ShimSession {
  readonly session: string;
  readonly agent: string;
  brief: AgentBrief;
  /** The fields of the brief that updates have changed. */
  changedFields: ReadonlySet<string> = new Set();
  /** Answers so far to requests with several questions, by the protocol's id for the request. */
  readonly partialAnswers = new Map<string, Record<string, string>>();
  readonly #fairlead: Fairlead;
  readonly #mock: boolean;
  readonly #startPosition: number;
  /** The names in the first brief. A later brief must not change them, so that a replay gives the same events. */
  readonly #source: ShimMessageSource;
  #state: ShimState = initialShimState;
  #pendingRead: Promise<unknown> = Promise.resolve();

  constructor(fairlead: Fairlead, { session, agent, brief, mock, startPosition = 0 }: ShimSessionOptions) {
    this.#fairlead = fairlead;
    this.session = session;
    this.agent = agent;
    this.brief = brief;
    this.#mock = mock && agent === mockAgent;
    this.#startPosition = startPosition;
    this.#source = { agentId: brief.agentId, workstream: brief.workstream };
  }

  /** Reads the current state. Reads run one at a time, and each continues where the last one ended. */
  async state(): Promise<ShimState> {
    const read = this.#pendingRead.then(async () => {
      for await (const event of this.#fairlead.events(this.session, { after: this.#state.lastSequence })) {
        if ("body" in event) this.#state = toShimEvents(this.#state, event, this.#source).state;
      }
      return this.#state;
    });
    this.#pendingRead = read.catch(() => {});
    return await read;
  }

  async handle(): Promise<AgentHandle> {
    const status = deriveAgentStatus(await this.state());
    return { id: this.brief.agentId, pluginName: this.#pluginName, status, sessionId: this.session };
  }

  /** Streams all events from the beginning, then new ones, until the session ends or the signal aborts. */
  async *events(signal: AbortSignal): AsyncGenerator<AdapterEvent> {
    let state = initialShimState;
    const { session } = this;
    const emit = (event: Parameters<typeof toShimEvents>[1]): readonly AdapterEvent[] => {
      const result = toShimEvents(state, event, this.#source);
      state = result.state;
      return result.events;
    };
    for await (const event of this.#fairlead.events(session, { follow: true, signal }))
      if ("body" in event) yield* emit(event);
    // If the next run has replaced this one, the rest of this run is emitted first.
    for await (const event of this.#fairlead.events(session, { after: state.lastSequence }))
      if ("body" in event) yield* emit(event);
  }

  /** Serializes the agent's state together with a checkpoint. */
  async serialize(checkpoint: Checkpoint, serializedBy: SerializedBy): Promise<SerializedAgentState> {
    const state = await this.state();
    const { brief, session: sessionId } = this;
    const position = this.position(state);
    const fields = {
      agentId: brief.agentId,
      pluginName: this.#pluginName,
      sessionId,
      checkpoint: {
        sdk: this.#pluginName,
        sessionId: checkpoint.agentSessionId ?? sessionId,
        stateSnapshot: checkpoint,
        ...(position !== undefined && { scriptPosition: position }),
      },
      briefSnapshot: brief,
      pendingDecisionIds: openDecisionIds(state),
      lastSequence: state.messageCount,
      serializedAt: checkpoint.takenAt,
      serializedBy,
    };
    return { ...fields, estimatedSizeBytes: Buffer.byteLength(JSON.stringify(fields)) };
  }

  /** Returns a mock's position in its script; undefined for other agents. */
  position(state: ShimState): number | undefined {
    return this.#mock ? scriptPosition(this.brief, this.#startPosition, state) : undefined;
  }

  get #pluginName(): string {
    return this.#mock ? "mock" : this.agent;
  }
}
