import type { AgentEvent } from "../agent-event.ts";
import { stripContext } from "./message-context.ts";

/** A deeper input is not searched: a program wrote it, and nobody reads it. */
const maxDepth = 64;

/**
 * Yields the texts of an event that a person sees in a session, in their order. Leaves out what another event repeats: the
 * output of a running tool is part of its whole output, and the context of a message is that of `context.injected`.
 */
export function* visibleTexts(body: AgentEvent): Generator<string> {
  switch (body.type) {
    case "turn.started":
      return yield stripContext(body.input);
    case "turn.steered":
    case "message.queued":
    case "message.returned":
    case "text.ended":
    case "reasoning.ended":
    case "context.injected":
    case "progress.reported":
      return yield body.text;
    case "tool.requested":
      yield body.name;
      yield* textsIn(body.input);
      // The command and the paths, where the input has them in another form.
      return yield* textsIn({ ...body.action, kind: undefined, offered: undefined });
    case "tool.ended":
      return yield body.output;
    case "file.changed":
      return yield body.path;
    case "artifact.produced":
      return yield* textsIn([body.path, body.summary]);
    case "plan.updated":
      return yield* textsIn(body.steps.map(({ text }) => text));
    case "brief.updated":
      return yield* textsIn(body.brief);
    case "decision.requested":
      yield* textsIn([body.title, body.tool, body.input, body.questions, body.options?.map(({ label }) => label)]);
      return yield* textsIn([body.reading?.reason, body.reading?.commands]);
    case "decision.resolved":
      yield* textsIn([body.message, body.input, body.answers]);
      return yield* textsIn([body.by.label]);
    case "network.judged":
      return yield body.host;
    case "status.reported":
    case "error.raised":
      return yield body.message;
    case "unrecognized":
      return yield body.raw;
    case "session.started":
      return yield* textsIn([body.name, body.workspace, body.brief]);
    default:
      return;
  }
}

/** Yields the texts of any JSON value, and no names of fields. */
function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && depth < maxDepth)
    for (const field of Object.values(value)) yield* textsIn(field, depth + 1);
}
