import {
  emptyKeyedMap,
  isTextComplete,
  keyedMap,
  requestDigest,
  type Event,
  type EventOf,
  type KeyedMap,
  type Question,
} from "@fairlead/contract";
import { toRequestId } from "./shim-ids.ts";

/** A requested decision, and whether it is still open. */
export interface ShimDecision {
  /** The agent's id. */
  readonly decision: string;
  /** The digest of the request. Answers contain it, so that they apply to no other request. */
  readonly digest: string;
  readonly kind: EventOf<"decision.requested">["kind"];
  readonly questions: readonly Question[];
  readonly isOpen: boolean;
}

/** A call that has not ended. */
export interface ShimCall {
  readonly name: string;
  readonly input: unknown;
  readonly ran: boolean;
}

/**
 * The state of a session that the conversion of its next event needs. Folded from the events alone. An event changes it at
 * a cost that does not depend on the number of earlier events.
 */
export interface ShimState {
  /** The sequence of the newest event in this state. */
  readonly lastSequence: number;
  /** The number of messages so far. */
  readonly messageCount: number;
  readonly workspace: string;
  readonly calls: KeyedMap<ShimCall>;
  /** All requests, by the protocol's ids for them. */
  readonly decisions: KeyedMap<ShimDecision>;
  /** The protocol's id for the newest request under each of the agent's ids. */
  readonly newestRequests: KeyedMap<string>;
  readonly openDecisionCount: number;
  /** Paths of created and modified files. */
  readonly files: KeyedMap<true>;
  /** What was sent into the newest turn while it was open. */
  readonly steered: KeyedMap<string>;
  /** The last text of the agent in this turn; the first part of a text that ends in parts. */
  readonly lastText: string;
  /** The open turn, and its progress in percent. */
  readonly turn: { readonly id: string; readonly percent: number } | null;
  /** The outcome of the last turn; null while a turn is open. */
  readonly outcome: EventOf<"turn.ended">["outcome"] | null;
  /** Completed texts, thoughts and tool calls. They determine the position in a mock's script. */
  readonly completedParts: number;
  readonly isPaused: boolean;
  readonly endReason: EventOf<"session.ended">["reason"] | null;
}

export const initialShimState: ShimState = {
  lastSequence: 0,
  messageCount: 0,
  workspace: "/",
  calls: emptyKeyedMap,
  decisions: emptyKeyedMap,
  newestRequests: emptyKeyedMap,
  openDecisionCount: 0,
  files: emptyKeyedMap,
  steered: emptyKeyedMap,
  lastText: "",
  turn: null,
  outcome: null,
  completedParts: 0,
  isPaused: false,
  endReason: null,
};

export function reduceShimState(state: ShimState, { sequence, body }: Event): ShimState {
  return { ...state, ...stateChange(state, body, sequence), lastSequence: sequence };
}

function stateChange(state: ShimState, body: Event["body"], sequence: number): Partial<ShimState> {
  const { calls, files, completedParts, turn } = state;
  switch (body.type) {
    case "session.started":
      return { workspace: body.workspace };
    case "session.paused":
      return { isPaused: true };
    case "session.resumed":
    case "session.unpaused":
      return { isPaused: false };
    case "session.ended":
      return { endReason: body.reason, turn: null };
    case "turn.started":
      return { turn: { id: body.turn, percent: 0 }, outcome: null, lastText: "", steered: emptyKeyedMap };
    case "turn.steered":
      return { steered: keyedMap.set(state.steered, String(state.steered.size), body.text) };
    case "turn.ended":
      return { turn: null, outcome: body.outcome, calls: emptyKeyedMap };
    case "text.ended":
      if (body.parent !== undefined) return {};
      return {
        ...((body.part ?? 1) === 1 && { lastText: body.text }),
        completedParts: completedParts + (isTextComplete(body) ? 1 : 0),
      };
    case "reasoning.ended":
      return isTextComplete(body) ? { completedParts: completedParts + 1 } : {};
    case "plan.updated":
      return turn === null ? {} : { turn: { ...turn, percent: planPercent(body) } };
    case "tool.requested":
      return { calls: keyedMap.set(calls, body.call, { name: body.name, input: body.input, ran: false }) };
    case "tool.started": {
      const call = keyedMap.get(calls, body.call);
      return call === undefined ? {} : { calls: keyedMap.set(calls, body.call, { ...call, ran: true }) };
    }
    case "tool.ended": {
      const isCut = body.reason === "interrupted" || body.reason === "unfinished";
      return { calls: keyedMap.remove(calls, body.call), completedParts: completedParts + (isCut ? 0 : 1) };
    }
    case "file.changed":
      return body.change === "deleted" || body.attribution === "unknown"
        ? {}
        : { files: keyedMap.set(files, body.path, true) };
    case "decision.requested":
      return addRequest(state, body, sequence);
    case "decision.resolved":
      return closeRequest(state, body.decision);
    default:
      return {};
  }
}

type DecisionFields = Pick<ShimState, "decisions" | "newestRequests" | "openDecisionCount">;

function addRequest(before: ShimState, body: EventOf<"decision.requested">, sequence: number): DecisionFields {
  const { decision, kind, questions = [] } = body;
  const { decisions, newestRequests, openDecisionCount } = closeRequest(before, decision);
  const id = toRequestId(before, sequence, body);
  const request: ShimDecision = { decision, digest: requestDigest(body), kind, questions, isOpen: true };
  return {
    decisions: keyedMap.set(decisions, id, request),
    newestRequests: keyedMap.set(newestRequests, decision, id),
    openDecisionCount: openDecisionCount + 1,
  };
}

/** Closes the open request under one of the agent's ids, if there is one. */
function closeRequest({ decisions, newestRequests, openDecisionCount }: ShimState, decision: string): DecisionFields {
  const id = keyedMap.get(newestRequests, decision);
  const request = id === undefined ? undefined : keyedMap.get(decisions, id);
  if (id === undefined || !request?.isOpen) return { decisions, newestRequests, openDecisionCount };
  return {
    decisions: keyedMap.set(decisions, id, { ...request, isOpen: false }),
    newestRequests,
    openDecisionCount: openDecisionCount - 1,
  };
}

/** The completed part of a plan, in percent. */
export function planPercent({ steps }: EventOf<"plan.updated">): number {
  const done = steps.filter(({ state }) => state === "done").length;
  return steps.length === 0 ? 0 : Math.round((100 * done) / steps.length);
}

export type AgentStatus = "running" | "paused" | "waiting_on_human" | "completed" | "idle" | "error";

const statusByOutcome = { completed: "completed", limited: "completed", interrupted: "idle", failed: "error" } as const;

/** Derives the agent's status in the terms of the shim protocol. */
export function deriveAgentStatus({ endReason, isPaused, openDecisionCount, turn, outcome }: ShimState): AgentStatus {
  if (endReason !== null) return endReason === "stopped" || endReason === "finished" ? "completed" : "error";
  if (isPaused) return "paused";
  if (openDecisionCount > 0) return "waiting_on_human";
  // Before its first turn, the agent is about to start on its brief.
  return turn !== null || outcome === null ? "running" : statusByOutcome[outcome];
}
