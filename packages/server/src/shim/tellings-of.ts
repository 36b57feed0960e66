import type { Event, EventOf } from "@fairlead/contract";
import type { Telling } from "./adapter-event.ts";
import { artifactTelling } from "./artifact-telling.ts";
import { decisionTellings } from "./decision-tellings.ts";
import { errorKinds } from "./error-kind.ts";
import { objectOf } from "./object-of.ts";
import { percentOf, type ShimState } from "./shim-state.ts";
import type { Teller } from "./teller.ts";
import { uuidOf } from "./uuid-of.ts";

/** What is told of one event, given what came before it. Most give one thing; what nobody here asks about gives none. */
export function tellingsOf(state: ShimState, event: Event, teller: Teller): Telling[] {
  const { body } = event;
  switch (body.type) {
    case "session.started":
      return [{ type: "lifecycle", action: "started" }];
    case "session.paused":
      return [{ type: "lifecycle", action: "paused", reason: body.reason }];
    case "session.resumed":
      return [{ type: "lifecycle", action: "resumed", reason: body.outcome }];
    case "session.ended":
      return ended(state, event, body);
    case "lead.changed":
      return [status(body.lead === "human" ? "A person has taken over, in the agent's own terminal." : "Handed back.")];
    case "turn.started":
      return [progress(body.turn, "Took up the message.", 0)];
    case "turn.steered":
      return [status(`Told while at it: ${body.text}`)];
    case "turn.ended":
      return turnEnded(state, event, body);
    case "text.ended":
      return [status(body.text)];
    case "reasoning.ended":
      return state.turn === null ? [] : [progress(state.turn.id, body.text, state.turn.percent)];
    case "plan.updated":
      return state.turn === null ? [] : [progress(state.turn.id, planText(body), percentOf(body))];
    case "context.injected":
      return [status("There is something to be told with the next message.")];
    case "context.compacted":
      return [status("The agent has shortened its memory of the conversation.")];
    case "tool.requested":
      return [call(body.call, body, "requested", null, false)];
    case "tool.started":
      return [call(body.call, state.calls[body.call], "running", null, true)];
    case "tool.progressed":
      return [progress(body.call, body.output, null)];
    case "tool.ended": {
      const known = { name: body.name, input: state.calls[body.call]?.input };
      const output = body.output || (body.reason ?? "");
      return [call(body.call, known, body.ok ? "completed" : "failed", output, state.calls[body.call]?.ran ?? body.ok)];
    }
    case "file.changed":
      return body.change === "deleted"
        ? [status(`Deleted ${body.path}.`)]
        : [artifactTelling(state, event, body, teller)];
    case "decision.requested":
      return decisionTellings(body);
    case "decision.resolved":
      return [status(`Decision ${body.decision}: ${body.outcome}.`)];
    case "status.reported":
      return [status(body.message)];
    case "error.raised":
      return [{ type: "error", message: body.message, errorCode: body.category, ...errorKinds[body.category] }];
    case "session.changed":
    case "usage.reported":
    case "unrecognized":
      return [];
    default:
      return body satisfies never;
  }
}

const outcomes = { completed: "success", limited: "max_turns" } as const;

/** An interrupted turn is no completion yet: after a pause it goes on, and only after an end it was abandoned. */
function turnEnded(state: ShimState, event: Event, { turn, outcome }: EventOf<"turn.ended">): Telling[] {
  if (outcome === "interrupted") return [status("The turn was interrupted.")];
  if (outcome === "failed") return [completion(state, event, state.files.length > 0 ? "partial" : "abandoned")];
  const done = completion(state, event, outcomes[outcome]);
  return outcome === "completed" ? [progress(turn, "Done.", 100), done] : [done];
}

function ended(state: ShimState, event: Event, { reason }: EventOf<"session.ended">): Telling[] {
  const abandoned = state.outcome === "interrupted" ? [completion(state, event, "abandoned")] : [];
  if (reason === "finished") return [...abandoned, status("The agent has ended.")];
  return [...abandoned, { type: "lifecycle", action: reason === "stopped" ? "killed" : "crashed", reason }];
}

function completion(
  { said, files }: ShimState,
  { session }: Event,
  outcome: Extract<Telling, { type: "completion" }>["outcome"],
): Telling {
  const artifactsProduced = files.map((path) => uuidOf(session, path));
  const summary =
    said || { success: "Done.", partial: "Failed.", abandoned: "Abandoned.", max_turns: "Stopped." }[outcome];
  return { type: "completion", summary, outcome, artifactsProduced, decisionsNeeded: [] };
}

function status(message: string): Telling {
  return { type: "status", message };
}

function progress(operationId: string, description: string, progressPct: number | null): Telling {
  return { type: "progress", operationId, description, progressPct };
}

function planText({ steps }: EventOf<"plan.updated">): string {
  return (
    (steps.find(({ state }) => state === "active") ?? steps.find(({ state }) => state !== "done"))?.text ?? "Done."
  );
}

function call(
  toolCallId: string,
  known: { readonly name: string; readonly input: unknown } | undefined,
  phase: Extract<Telling, { type: "tool_call" }>["phase"],
  output: string | null,
  approved: boolean,
): Telling {
  const { name: toolName = "unknown", input } = known ?? {};
  return { type: "tool_call", toolCallId, toolName, phase, input: objectOf(input), output, approved };
}
