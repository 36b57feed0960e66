import type { Checkpoint, Fairlead } from "@fairlead/api";
import type { AdapterEvent } from "./adapter-event.ts";
import type { AgentBrief } from "./agent-brief.ts";
import type { SerializedAgentState, SerializedBy } from "./agent-state.ts";
import { agentStatus, type AgentStatus } from "./agent-status.ts";
import { mockAgent, scriptPosition } from "./mock-script.ts";
import { openDecisions } from "./question-ids.ts";
import { shimEvents } from "./shim-events.ts";
import { nothingYet, type ShimState } from "./shim-state.ts";
import type { Teller } from "./teller.ts";

export interface AgentHandle {
  readonly id: string;
  readonly pluginName: string;
  readonly status: AgentStatus;
  readonly sessionId: string;
}

export interface ShimSessionOptions {
  readonly session: string;
  /** The agent's name here. */
  readonly agent: string;
  readonly brief: AgentBrief;
  readonly mock: boolean;
  /** How many steps of a mock's script were over before this session. */
  readonly begun?: number;
}

/** A session, as a run of this protocol. What it knows, it reads from the journal whenever it is asked. */
export class ShimSession {
  readonly session: string;
  readonly agent: string;
  brief: AgentBrief;
  /** What was chosen so far, of decisions that ask several things at once. */
  readonly chosen = new Map<string, Record<string, string>>();
  readonly #fairlead: Fairlead;
  readonly #mock: boolean;
  readonly #begun: number;
  /** As it was called at first, so that whatever is told again is told in the same words. */
  readonly #teller: Teller;
  #state: ShimState = nothingYet;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(fairlead: Fairlead, { session, agent, brief, mock, begun = 0 }: ShimSessionOptions) {
    this.#fairlead = fairlead;
    this.session = session;
    this.agent = agent;
    this.brief = brief;
    this.#mock = mock && agent === mockAgent;
    this.#begun = begun;
    this.#teller = { agentId: brief.agentId, workstream: brief.workstream };
  }

  /** Everything up to now. One reads at a time, and goes on where the last one got to. */
  async state(): Promise<ShimState> {
    const reading = this.#reading.then(async () => {
      for await (const one of this.#fairlead.events(this.session, { after: this.#state.last })) {
        if ("body" in one) this.#state = shimEvents(this.#state, one, this.#teller).state;
      }
      return this.#state;
    });
    this.#reading = reading.catch(() => {});
    return await reading;
  }

  async handle(): Promise<AgentHandle> {
    const status = agentStatus(await this.state());
    return { id: this.brief.agentId, pluginName: this.#name, status, sessionId: this.session };
  }

  /** All that is told of it, from the beginning, and then what comes, until it ends or the signal aborts. */
  async *events(signal: AbortSignal): AsyncGenerator<AdapterEvent> {
    let state = nothingYet;
    const { session } = this;
    const tell = (event: Parameters<typeof shimEvents>[1]): readonly AdapterEvent[] => {
      const told = shimEvents(state, event, this.#teller);
      state = told.state;
      return told.events;
    };
    for await (const one of this.#fairlead.events(session, { follow: true, signal }))
      if ("body" in one) yield* tell(one);
    // When the next run has taken its place, the end of this one is told first.
    for await (const one of this.#fairlead.events(session, { after: state.last })) if ("body" in one) yield* tell(one);
  }

  /** The agent written down, around a checkpoint that was just taken. */
  async serialized(checkpoint: Checkpoint, serializedBy: SerializedBy): Promise<SerializedAgentState> {
    const state = await this.state();
    const { brief, session: sessionId } = this;
    const position = this.position(state);
    const written = {
      agentId: brief.agentId,
      pluginName: this.#name,
      sessionId,
      checkpoint: {
        sdk: this.#name,
        sessionId: checkpoint.agentSessionId ?? sessionId,
        stateSnapshot: checkpoint,
        ...(position !== undefined && { scriptPosition: position }),
      },
      briefSnapshot: brief,
      pendingDecisionIds: openDecisions(state),
      lastSequence: state.told,
      serializedAt: checkpoint.takenAt,
      serializedBy,
    };
    return { ...written, estimatedSizeBytes: Buffer.byteLength(JSON.stringify(written)) };
  }

  /** Where a mock is in its script; nothing for whoever has none. */
  position(state: ShimState): number | undefined {
    return this.#mock ? scriptPosition(this.brief, this.#begun, state) : undefined;
  }

  get #name(): string {
    return this.#mock ? "mock" : this.agent;
  }
}
