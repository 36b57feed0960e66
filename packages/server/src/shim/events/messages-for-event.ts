import { keyedMap, type Event, type EventOf } from "@fairlead/contract";
import { type ShimMessage, type ShimMessageSource, toJsonObject } from "./adapter-event.ts";
import { artifactMessage } from "./artifact-message.ts";
import { decisionMessages } from "./decision-messages.ts";
import { errorDetailsByCategory } from "./error-details.ts";
import { planPercent, type ShimState } from "./shim-state.ts";
import { toArtifactId, toRequestId } from "./shim-ids.ts";

/** Converts an event to messages of the shim protocol, given the state before it. Most events give one message. */
export function messagesForEvent(state: ShimState, event: Event, source: ShimMessageSource): ShimMessage[] {
  const { body } = event;
  switch (body.type) {
    case "session.started":
      return [{ type: "lifecycle", action: "started" }];
    case "session.paused":
      return [{ type: "lifecycle", action: "paused", reason: body.reason }];
    case "session.resumed":
      return [{ type: "lifecycle", action: "resumed", reason: body.outcome }];
    case "session.ended":
      return sessionEndedMessages(state, event, body);
    case "lead.changed":
      return [statusMessage(leadTexts[body.lead])];
    case "message.queued":
      return [statusMessage("The message is queued.")];
    case "message.returned":
      return [statusMessage(`The message was not processed (${body.reason}): ${body.text}`)];
    case "turn.started":
      return [progressMessage(body.turn, "Started on the message.", 0)];
    case "turn.steered":
      return [statusMessage(`Steered: ${body.text}`)];
    case "turn.ended":
      return turnEndedMessages(state, event, body);
    case "text.ended":
      return isClosingPart(body) ? [] : [statusMessage(body.text)];
    case "reasoning.ended":
      return state.turn === null || isClosingPart(body)
        ? []
        : [progressMessage(state.turn.id, body.text, state.turn.percent)];
    case "plan.updated":
      return state.turn === null ? [] : [progressMessage(state.turn.id, currentPlanStep(body), planPercent(body))];
    case "context.injected":
      return [statusMessage("Context is queued for the next message.")];
    case "brief.updated":
      return [statusMessage(`The brief was changed: ${body.brief.title}`)];
    case "context.compacted":
      return [statusMessage("The agent has compacted its context.")];
    case "tool.requested":
      return [toolCallMessage(body.call, body, "requested", null, false)];
    case "tool.started":
      return [toolCallMessage(body.call, keyedMap.get(state.calls, body.call), "running", null, true)];
    case "tool.progressed":
      return [progressMessage(body.call, body.output || `Running for ${body.elapsedSeconds ?? 0} s.`, null)];
    case "tool.ended": {
      const toolCall = { name: body.name, input: keyedMap.get(state.calls, body.call)?.input };
      const output = body.output || (body.reason ?? "");
      return [
        toolCallMessage(
          body.call,
          toolCall,
          body.ok ? "completed" : "failed",
          output,
          keyedMap.get(state.calls, body.call)?.ran ?? body.ok,
        ),
      ];
    }
    case "file.changed":
      if (body.attribution === "unknown") return []; // the protocol attributes every artifact to the agent
      return body.change === "deleted"
        ? [statusMessage(`Deleted ${body.path}.`)]
        : [artifactMessage(state, event, body, source)];
    case "progress.reported":
      return [progressMessage(state.turn?.id ?? event.id, body.text, body.percent ?? state.turn?.percent ?? null)];
    case "artifact.produced":
      return [artifactMessage(state, event, body, source)];
    case "decision.requested":
      return decisionMessages(toRequestId(state, event.sequence, body), body);
    case "decision.resolved":
      return [
        statusMessage(
          `Decision ${keyedMap.get(state.newestRequests, body.decision) ?? body.decision}: ${body.outcome}.`,
        ),
      ];
    case "status.reported":
      return [statusMessage(body.message)];
    case "error.raised":
      return [
        { type: "error", message: body.message, errorCode: body.category, ...errorDetailsByCategory[body.category] },
      ];
    case "session.changed":
    case "session.unpaused":
    case "usage.reported":
    case "quota.reported":
    case "network.judged":
    case "unrecognized":
      return [];
    default:
      return body satisfies never;
  }
}

const leadTexts = {
  human: "A person has taken over in the agent's terminal.",
  agent: "The person has handed back.",
  delegated: "The agent of another session leads.",
} as const;

/** Whether an event only ends a text that the agent did not complete. */
function isClosingPart({ text, part = 1 }: EventOf<"text.ended" | "reasoning.ended">): boolean {
  return part > 1 && text === "";
}

const completionOutcomes = { completed: "success", limited: "max_turns" } as const;

/** An interrupted turn is not a completion: it continues after a pause, and is abandoned only if the session ends. */
function turnEndedMessages(state: ShimState, event: Event, { turn, outcome }: EventOf<"turn.ended">): ShimMessage[] {
  if (outcome === "interrupted") return [statusMessage("The turn was interrupted.")];
  if (outcome === "failed") return [completionMessage(state, event, state.files.size > 0 ? "partial" : "abandoned")];
  const completed = completionMessage(state, event, completionOutcomes[outcome]);
  return outcome === "completed" ? [progressMessage(turn, "Done.", 100), completed] : [completed];
}

function sessionEndedMessages(state: ShimState, event: Event, { reason }: EventOf<"session.ended">): ShimMessage[] {
  const abandoned = state.outcome === "interrupted" ? [completionMessage(state, event, "abandoned")] : [];
  if (reason === "finished") return [...abandoned, statusMessage("The agent has ended.")];
  return [...abandoned, { type: "lifecycle", action: reason === "stopped" ? "killed" : "crashed", reason }];
}

function completionMessage(
  { lastText, files }: ShimState,
  { session }: Event,
  outcome: Extract<ShimMessage, { type: "completion" }>["outcome"],
): ShimMessage {
  const artifactsProduced = keyedMap.entries(files).map(([path]) => toArtifactId(session, path));
  const summary =
    lastText || { success: "Done.", partial: "Failed.", abandoned: "Abandoned.", max_turns: "Stopped." }[outcome];
  return { type: "completion", summary, outcome, artifactsProduced, decisionsNeeded: [] };
}

function statusMessage(message: string): ShimMessage {
  return { type: "status", message };
}

function progressMessage(operationId: string, description: string, progressPct: number | null): ShimMessage {
  return { type: "progress", operationId, description, progressPct };
}

function currentPlanStep({ steps }: EventOf<"plan.updated">): string {
  return (
    (steps.find(({ state }) => state === "active") ?? steps.find(({ state }) => state !== "done"))?.text ?? "Done."
  );
}

function toolCallMessage(
  toolCallId: string,
  toolCall: { readonly name: string; readonly input: unknown } | undefined,
  phase: Extract<ShimMessage, { type: "tool_call" }>["phase"],
  output: string | null,
  approved: boolean,
): ShimMessage {
  const { name: toolName = "unknown", input } = toolCall ?? {};
  return { type: "tool_call", toolCallId, toolName, phase, input: toJsonObject(input), output, approved };
}
