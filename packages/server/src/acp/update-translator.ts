import { resolve } from "node:path";
import type { PlanEntryStatus, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { isTextComplete, type Delta, type Event, type EventOf } from "@fairlead/contract";
import { ChunkStreamer } from "./chunk-streamer.ts";
import { toolKind, toolTitle } from "./tool-kind.ts";

const planStates = { pending: "pending", active: "in_progress", done: "completed" } as const satisfies Record<
  EventOf<"plan.updated">["steps"][number]["state"],
  PlanEntryStatus
>;

/** The protocol repeats a call's whole output with each update. Of a long output, only the end is sent. */
const maxProgressLength = 8000;

/** The output and files of a running call that the editor already has. */
interface CallProgress {
  readonly output: string;
  readonly paths: readonly string[];
}
const emptyProgress: CallProgress = { output: "", paths: [] };

/** Translates events and deltas to ACP updates. The same events give the same updates, live or from the journal. */
export class UpdateTranslator {
  readonly #workspace: string;
  readonly #chunks = new ChunkStreamer();
  readonly #calls = new Map<string, CallProgress>();

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  translate(item: Event | Delta): SessionUpdate[] {
    if (!("body" in item)) return this.#chunks.onDelta(item);
    const { body } = item;
    if (body.type === "text.ended" && body.parent === undefined)
      return this.#chunks.onComplete("text", body.text, isTextComplete(body));
    if (body.type === "reasoning.ended") {
      return body.parent === undefined ? this.#chunks.onComplete("reasoning", body.text, isTextComplete(body)) : [];
    }
    const updates = this.#translateEvent(item);
    if (updates.length > 0) this.#chunks.onOtherUpdate();
    return updates;
  }

  #translateEvent({ id, body }: Event): SessionUpdate[] {
    switch (body.type) {
      case "turn.started":
        return userMessageUpdate(body.input);
      case "turn.steered":
        return userMessageUpdate(body.text);
      case "turn.ended":
        this.#calls.clear();
        this.#chunks.onTurnEnded();
        return [];
      case "text.ended": // text of a sub-agent belongs to the call that started it
        return this.#appendOutput(body.parent ?? "", isTextComplete(body) ? `${body.text}\n` : body.text);
      case "tool.requested":
        return [toolCallUpdate(body)];
      case "tool.started":
        return [{ sessionUpdate: "tool_call_update", toolCallId: body.call, status: "in_progress" }];
      case "tool.progressed":
        return body.output === "" ? [] : this.#appendOutput(body.call, body.output);
      case "tool.ended":
        return [toolEndedUpdate(body)];
      case "file.changed":
        // An observed change may come after the turn of its call.
        return body.call === undefined || body.source === "observed" ? [] : this.#addLocation(body.call, body.path);
      case "plan.updated":
        return [{ sessionUpdate: "plan", entries: body.steps.map(planEntry) }];
      case "context.compacted":
        return [{ sessionUpdate: "compaction_update", compactionId: id, status: "completed" }];
      case "message.returned":
        return [{ sessionUpdate: "notice", severity: "warning", title: `The message was not processed: ${body.text}` }];
      case "status.reported":
        return [{ sessionUpdate: "notice", severity: body.level, title: body.message }];
      case "error.raised":
        return [{ sessionUpdate: "notice", severity: "error", title: body.message }];
      default: // events without an update in the protocol, and decisions, which are requests
        return [];
    }
  }

  #appendOutput(call: string, text: string): SessionUpdate[] {
    const progress = this.#calls.get(call) ?? emptyProgress;
    const output = (progress.output + text).slice(-maxProgressLength);
    this.#calls.set(call, { ...progress, output });
    return [{ sessionUpdate: "tool_call_update", toolCallId: call, content: textContent(output) }];
  }

  #addLocation(call: string, path: string): SessionUpdate[] {
    const progress = this.#calls.get(call) ?? emptyProgress;
    const paths = [...new Set([...progress.paths, resolve(this.#workspace, path)])];
    this.#calls.set(call, { ...progress, paths });
    const locations = paths.map((location) => ({ path: location }));
    return [{ sessionUpdate: "tool_call_update", toolCallId: call, locations }];
  }
}

function userMessageUpdate(text: string): SessionUpdate[] {
  return text === "" ? [] : [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
}

function toolCallUpdate({ call, name, input }: EventOf<"tool.requested">): SessionUpdate {
  const title = toolTitle(name, input);
  const status = "pending";
  return { sessionUpdate: "tool_call", toolCallId: call, name, title, kind: toolKind(name), status, rawInput: input };
}

function toolEndedUpdate({ call, ok, output, reason }: EventOf<"tool.ended">): SessionUpdate {
  // The protocol has one status for every failure. The reason is added as metadata.
  const meta = reason === undefined ? {} : { _meta: { fairlead: { reason } } };
  const content = output === "" ? {} : { content: textContent(output) };
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: call,
    status: ok ? "completed" : "failed",
    ...content,
    ...meta,
  };
}

function textContent(text: string): ToolCallContent[] {
  return [{ type: "content", content: { type: "text", text } }];
}

function planEntry({ text, state }: EventOf<"plan.updated">["steps"][number]): {
  content: string;
  priority: "medium";
  status: PlanEntryStatus;
} {
  return { content: text, priority: "medium", status: planStates[state] };
}
