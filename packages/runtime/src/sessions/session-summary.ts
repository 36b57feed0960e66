import { ruleOf, stripContext, type EventDraft, type Event, type EventOf, type LawScope } from "@fairlead/contract";
import type { Brief, IsolatedCopy, ParentSession, PermissionMode, SpendingLimits } from "@fairlead/contract";
import { noSandbox } from "@fairlead/keeper";
import { type SandboxView, viewSandbox } from "../sandbox/compute-sandbox.ts";
import type { Liveness } from "./liveness.ts";

/** Limit of the title in characters: more than a line can show. */
const maxTitleLength = 400;

/** The summary of a session, reduced from its events. */
export interface SessionSummary {
  readonly session: string;
  /** Name that people gave the session. */
  readonly name: string | null;
  readonly agent: string;
  /** Version of the agent's program, from the probe. */
  readonly agentVersion: string | null;
  /** The adapter's name for the protocol that it speaks with the agent. */
  readonly protocol: string;
  readonly workspace: string;
  /** The room that the session was started in. */
  readonly room: string | null;
  /** The current brief, if the session has one. */
  readonly brief?: Brief;
  /** The session whose agent started this one. */
  readonly parent?: ParentSession;
  /** Set if the workspace is an isolated copy of a person's folder. */
  readonly copy?: IsolatedCopy;
  readonly mode: PermissionMode;
  readonly model: string | null;
  /**
   * Derived from events and records only. `lost`: the keeper is gone, and the journal does not have the session's end yet.
   * `damaged`: the session cannot be driven, because a part of its journal, spool or snapshot cannot be read.
   */
  readonly state: Liveness | "paused" | "ended" | "lost" | "damaged";
  /** Why the session cannot be driven or read, as a sentence. Null for a session without a problem. */
  readonly problem: string | null;
  /** Why a paused session is paused; null in other states. */
  readonly pauseReason: EventOf<"session.paused">["reason"] | null;
  /** When a paused session continues without a command; null if it does not. */
  readonly pausedUntil: string | null;
  /** What the session may use in all; null without a limit. */
  readonly limits: SpendingLimits | null;
  /** Time of the last change of `state`. */
  readonly since: string;
  /** `human` while a person uses the agent's own terminal. `delegated`: the agent of another session started it. */
  readonly lead: EventOf<"lead.changed">["lead"];
  /** How the keeper contains the agent's processes, if known. */
  readonly containment: "namespace" | "descendants" | null;
  /** What its processes can reach. */
  readonly sandbox: SandboxView;
  readonly reason: string | null;
  readonly agentSessionId: string | null;
  /** The session that it continues or was forked from. */
  readonly continues: string | null;
  /** The title of the brief, or else the first message. */
  readonly title: string;
  readonly turns: number;
  /** How the last turn ended; null if none has ended. */
  readonly lastOutcome: EventOf<"turn.ended">["outcome"] | null;
  /** Number of messages that wait for their turns. */
  readonly queued: number;
  /** The sequence number of its newest event in the journal. */
  readonly last: number;
  /** Open decisions. */
  readonly waitingFor: readonly { readonly decision: string; readonly title: string; readonly since: string }[];
  readonly startedAt: string;
  readonly lastAt: string;
  /** In US dollars. Null if the agent reports no cost. */
  readonly cost: number | null;
}

/** Reduces the events of a session to its summary. It can continue from a stored summary and its queued messages. */
export class SummaryReducer {
  #summary: SessionSummary | undefined;
  /** The turns of the queued messages. */
  readonly #queued: Set<string>;
  /** The open decisions. A map, so that an event costs the same however many are open. */
  readonly #waitingFor: Map<string, SessionSummary["waitingFor"][number]>;
  #isListOutdated = false;

  constructor(summary?: SessionSummary, queued: readonly string[] = []) {
    this.#summary = summary;
    this.#waitingFor = new Map(summary?.waitingFor.map((open) => [open.decision, open]));
    this.#queued = new Set(queued);
  }

  get queued(): readonly string[] {
    return [...this.#queued];
  }

  /** Empty before the first event. */
  get workspace(): string {
    return this.#summary?.workspace ?? "";
  }

  add(event: Event | EventDraft): void {
    const before = event.body.type === "session.started" ? initialSummary(event, event.body) : this.#summary;
    if (before === undefined) return;
    const { body } = event;
    if (body.type === "message.queued") this.#queued.add(body.turn);
    if (body.type === "message.returned" || body.type === "turn.started") this.#queued.delete(body.turn);
    if (body.type === "session.ended") this.#queued.clear();
    this.#recordDecision(event);
    const changes = changesFrom(before, event);
    const state = stateAfter(before, event.body, this.#waitingFor.size);
    this.#summary = {
      ...before,
      ...changes,
      state,
      pauseReason: body.type === "session.paused" ? body.reason : state === "paused" ? before.pauseReason : null,
      pausedUntil:
        body.type === "session.paused" ? (body.until ?? null) : state === "paused" ? before.pausedUntil : null,
      queued: this.#queued.size,
      since: state === before.state ? before.since : event.occurredAt,
      last: "sequence" in event ? event.sequence : before.last,
      lastAt: event.occurredAt,
    };
  }

  get summary(): SessionSummary | undefined {
    if (this.#isListOutdated && this.#summary !== undefined)
      this.#summary = { ...this.#summary, waitingFor: [...this.#waitingFor.values()] };
    this.#isListOutdated = false;
    return this.#summary;
  }

  #recordDecision({ body, occurredAt: since }: EventDraft): void {
    if (body.type === "decision.requested")
      this.#waitingFor.set(body.decision, { decision: body.decision, title: body.title, since });
    else if (body.type !== "decision.resolved" || !this.#waitingFor.delete(body.decision)) return;
    this.#isListOutdated = true;
  }
}

/**
 * Derives the state from the one before and the law's rule for the event. It needs no ledger: the reducer closes every
 * scope with an event, and a turn is open exactly in the states `working` and `waiting`.
 */
function stateAfter({ state }: SessionSummary, body: Event["body"], waitingCount: number): SessionSummary["state"] {
  const { opens, closes, lifts } = ruleOf(body);
  const isOpenAfter = (scope: LawScope, wasOpen: boolean): boolean =>
    opens === scope || (wasOpen && closes !== scope && lifts !== scope);
  if (state === "ended" || closes === "session") return "ended";
  if (isOpenAfter("pause", state === "paused")) return "paused";
  if (!isOpenAfter("turn", state === "working" || state === "waiting")) return "idle";
  return waitingCount > 0 ? "waiting" : "working";
}

type SessionStartedBody = Extract<Event["body"], { type: "session.started" }>;

function initialSummary(
  { session, occurredAt }: EventDraft,
  { agent, workspace, mode, continues, ...rest }: SessionStartedBody,
): SessionSummary {
  return {
    session,
    name: rest.name ?? null, // older events have no name
    agent,
    agentVersion: rest.agentVersion,
    protocol: rest.protocol,
    workspace,
    room: rest.room ?? null,
    ...(rest.brief !== undefined && { brief: rest.brief }),
    ...(rest.parent !== undefined && { parent: rest.parent }),
    ...(rest.copy !== undefined && { copy: rest.copy }),
    mode,
    model: null,
    state: "idle",
    problem: null,
    pauseReason: null,
    pausedUntil: null,
    limits: rest.limits ?? null,
    since: occurredAt,
    lead: "agent",
    containment: null,
    sandbox: viewSandbox(rest.sandbox ?? noSandbox), // older events have none
    reason: null,
    agentSessionId: continues?.fork ? null : (continues?.agentSessionId ?? null),
    continues: continues?.session ?? null,
    title: rest.brief?.title.slice(0, maxTitleLength) ?? "",
    turns: 0,
    lastOutcome: null,
    queued: 0,
    last: 0,
    waitingFor: [],
    startedAt: occurredAt,
    lastAt: occurredAt,
    cost: null,
  };
}

function changesFrom(before: SessionSummary, { body }: EventDraft): Partial<SessionSummary> {
  const { model, agentSessionId, mode, containment } = before;
  switch (body.type) {
    case "session.changed":
      return {
        model: body.model ?? model,
        agentSessionId: body.agentSessionId ?? agentSessionId,
        mode: body.mode ?? mode,
        containment: body.containment ?? containment,
        limits: body.limits ?? before.limits,
      };
    case "brief.updated":
      return { brief: body.brief, title: body.brief.title.slice(0, maxTitleLength) };
    case "lead.changed":
      return { lead: body.lead === "agent" && before.parent !== undefined ? "delegated" : body.lead };
    case "turn.started":
      return {
        turns: before.turns + 1,
        title: before.title || stripContext(body.input).slice(0, maxTitleLength),
      };
    case "turn.ended":
      return { lastOutcome: body.outcome };
    case "usage.reported":
      return body.cost === null ? {} : { cost: (before.cost ?? 0) + body.cost.amount };
    case "session.ended":
      return { reason: body.reason };
    default:
      return {};
  }
}
