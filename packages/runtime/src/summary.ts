import {
  advance,
  emptyLedger,
  isOpen,
  type Draft,
  type Event,
  type Ledger,
  type PermissionMode,
} from "@fairlead/contract";
import { withoutContext } from "@fairlead/kit";
import type { Liveness } from "./liveness.ts";

/** As much of the first message as a line has use for. */
const longestTitle = 400;

/** A session in a line, as a fold over its events. */
export interface Summary {
  readonly session: string;
  /** What people call it. */
  readonly name: string | null;
  readonly agent: string;
  readonly workspace: string;
  readonly mode: PermissionMode;
  readonly model: string | null;
  /** What it is doing, by evidence alone; `lost` means that its keeper is gone and nobody has written down its end. */
  readonly state: Liveness | "paused" | "ended" | "lost";
  /** Since when it has been so. */
  readonly since: string;
  /** Who drives: the agent under our eyes, or a person in the agent's own terminal. */
  readonly lead: "agent" | "human";
  /** What keeps its processes together, if that is known. */
  readonly containment: "namespace" | "descendants" | null;
  readonly reason: string | null;
  readonly agentSessionId: string | null;
  /** The session that it continues or was forked from. */
  readonly continues: string | null;
  /** The first message. */
  readonly title: string;
  readonly turns: number;
  /** The number of its newest event in the journal. */
  readonly last: number;
  /** Decisions that are open. */
  readonly waitingFor: readonly { readonly decision: string; readonly title: string; readonly since: string }[];
  readonly startedAt: string;
  readonly lastAt: string;
  /** In US dollars; null when the agent reports none. */
  readonly cost: number | null;
}

export class Summarizing {
  #ledger: Ledger = emptyLedger;
  #summary: Summary | undefined;

  add(event: Event | Draft): void {
    this.#ledger = advance(this.#ledger, event.body).ledger;
    const before = event.body.type === "session.started" ? begun(event, event.body) : this.#summary;
    if (before === undefined) return;
    const state = this.#state();
    this.#summary = {
      ...before,
      ...changes(before, event),
      state,
      since: state === before.state ? before.since : event.occurredAt,
      last: "sequence" in event ? event.sequence : before.last,
      lastAt: event.occurredAt,
    };
  }

  get summary(): Summary | undefined {
    return this.#summary;
  }

  #state(): Summary["state"] {
    if (this.#ledger.over) return "ended";
    if (isOpen(this.#ledger, "pause")) return "paused";
    if (isOpen(this.#ledger, "decision")) return "waiting";
    return isOpen(this.#ledger, "turn") ? "working" : "idle";
  }
}

type Started = Extract<Event["body"], { type: "session.started" }>;

function begun({ session, occurredAt }: Draft, { agent, workspace, mode, continues, ...rest }: Started): Summary {
  return {
    session,
    name: rest.name ?? null, // journals from before there were names have none
    agent,
    workspace,
    mode,
    model: null,
    state: "idle",
    since: occurredAt,
    lead: "agent",
    containment: null,
    reason: null,
    agentSessionId: continues?.fork ? null : (continues?.agentSessionId ?? null),
    continues: continues?.session ?? null,
    title: "",
    turns: 0,
    last: 0,
    waitingFor: [],
    startedAt: occurredAt,
    lastAt: occurredAt,
    cost: null,
  };
}

function changes(before: Summary, { body, occurredAt: since }: Draft): Partial<Summary> {
  const { model, agentSessionId, mode, containment, waitingFor } = before;
  switch (body.type) {
    case "session.changed":
      return {
        model: body.model ?? model,
        agentSessionId: body.agentSessionId ?? agentSessionId,
        mode: body.mode ?? mode,
        containment: body.containment ?? containment,
      };
    case "lead.changed":
      return { lead: body.lead };
    case "turn.started":
      return {
        turns: before.turns + 1,
        title: before.title || withoutContext(body.input).slice(0, longestTitle),
      };
    case "decision.requested":
      return { waitingFor: [...waitingFor, { decision: body.decision, title: body.title, since }] };
    case "decision.resolved":
      return { waitingFor: waitingFor.filter(({ decision }) => decision !== body.decision) };
    case "usage.reported":
      return body.cost === null ? {} : { cost: (before.cost ?? 0) + body.cost.amount };
    case "session.ended":
      return { reason: body.reason };
    default:
      return {};
  }
}
