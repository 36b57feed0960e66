import {
  findReachedLimit,
  isOpen,
  maskCredentialsIn,
  openRequest,
  raisesLimit,
  requestDigest,
  type ErrorCode,
  type Command,
  type CommandOf,
} from "@fairlead/contract";
import type { SessionState } from "./session-state.ts";
import { spentOf, type SpendingState } from "./limits/spending-limits.ts";

/** Commands that are allowed while a person leads or is about to. */
const allowedDuringTakeOver: ReadonlySet<Command["type"]> = new Set([
  "end",
  "inject",
  "update-brief",
  "limit",
  "hand-back",
]);

/** Returns why a command is rejected in this state, or null. The rules are the same for every agent. */
export function rejectionOf(state: SessionState, command: Command): ErrorCode | null {
  const { ledger, desiredState, running, launching } = state;
  const isHumanLeading = isOpen(ledger, "lead");
  if (ledger.over || desiredState === "end") return "session-ended";
  if (command.type === "resume" && command.stays === true) return null;
  if ((isHumanLeading || desiredState === "take-over") && !allowedDuringTakeOver.has(command.type)) return "taken-over";
  switch (command.type) {
    case "open":
    case "end":
    case "inject":
    case "update-brief":
      return null;
    case "send":
      if (state.stoppedFor === "budget") return "limit-reached";
      // Nobody paused it: it continues on the next host, and the message waits until then.
      return desiredState === "pause" && state.stoppedFor !== "moved" ? "session-paused" : null;
    case "pause":
      return desiredState === "pause" ? "session-paused" : null;
    case "limit":
      return limitRejection(state, command);
    case "resume":
      // Two processes must not work on one conversation, so a running or launching process blocks the resume.
      return desiredState === "pause" && isOpen(ledger, "pause") && !running && !launching
        ? limitReached(state.spending)
        : "session-not-paused";
    case "interrupt":
    case "steer":
      return isOpen(ledger, "turn") ? null : "no-open-turn";
    case "take-over":
      return findOwnConversation(state) === null ? "no-conversation" : null;
    case "hand-back":
      return isHumanLeading ? null : "not-taken-over";
    case "answer":
      return isOpen(ledger, "decision", command.decision) ? answerRejection(state, command) : "decision-not-open";
    default:
      return command satisfies never;
  }
}

/** Refuses to allow what a rule denies: an answer that comes before that of the rule must not overrule it. */
function answerRejection(state: SessionState, command: CommandOf<"answer">): ErrorCode | null {
  const isDenied = openRequest(state.ledger, command.decision)?.reading?.verdict === "deny";
  return isDenied && command.answer.type === "allow" ? "not-allowed" : shownRejection(state, command);
}

/** Refuses the answer to a request that is not the open one. Older ledgers do not have the request. */
function shownRejection(
  { ledger }: SessionState,
  { decision, answer: { digest } }: CommandOf<"answer">,
): ErrorCode | null {
  const request = openRequest(ledger, decision);
  if (digest === undefined || request === undefined || requestDigest(request) === digest) return null;
  // What looks like a credential is shown as a mask, which differs for each.
  return requestDigest(maskCredentialsIn(request)) === digest ? null : "conflict";
}

/** Refuses limits of which more is used already, and a raise by a sender that may not raise them. */
function limitRejection({ spending }: SessionState, { limits, mayRaise }: CommandOf<"limit">): ErrorCode | null {
  if (!mayRaise && raisesLimit(spending.limits, limits)) return "not-allowed";
  return limitReached({ ...spending, limits: { ...spending.limits, ...limits } });
}

function limitReached(spending: SpendingState): ErrorCode | null {
  return findReachedLimit(spending.limits, spentOf(spending)) === null ? null : "limit-reached";
}

/** Returns the session's own conversation. Before the agent forks, it belongs to the other session. */
function findOwnConversation({ agentSessionId, opening }: SessionState): string | null {
  const { continues = null } = opening ?? {};
  return continues?.fork && continues.agentSessionId === agentSessionId ? null : agentSessionId;
}
