import { resolve } from "node:path";
import type { PlanEntryStatus, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { Delta, Event, EventOf } from "@fairlead/contract";
import { Speech } from "./speech.ts";
import { toolKind, toolTitle } from "./tool-kind.ts";

const planStates = { pending: "pending", active: "in_progress", done: "completed" } as const satisfies Record<
  EventOf<"plan.updated">["steps"][number]["state"],
  PlanEntryStatus
>;

/** The protocol wants all of a call's output again with each piece; of a long one the end will do. */
const longestProgress = 8000;

/** What has been shown of a call that is going on. */
interface Shown {
  readonly output: string;
  readonly paths: readonly string[];
}
const nothing: Shown = { output: "", paths: [] };

/** Our events and deltas in the protocol's words. A fold: the same events give the same updates, live or from the journal. */
export class Updates {
  readonly #workspace: string;
  readonly #speech = new Speech();
  readonly #calls = new Map<string, Shown>();

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  take(one: Event | Delta): SessionUpdate[] {
    if (!("body" in one)) return this.#speech.delta(one);
    const { body } = one;
    if (body.type === "text.ended" && body.parent === undefined) return this.#speech.ended("text", body.text);
    if (body.type === "reasoning.ended") {
      return body.parent === undefined ? this.#speech.ended("reasoning", body.text) : [];
    }
    const updates = this.#updates(one);
    if (updates.length > 0) this.#speech.interrupted();
    return updates;
  }

  #updates({ id, body }: Event): SessionUpdate[] {
    switch (body.type) {
      case "turn.started":
        return said(body.input);
      case "turn.steered":
        return said(body.text);
      case "turn.ended":
        this.#calls.clear();
        this.#speech.over();
        return [];
      case "text.ended": // a sub-agent's: it belongs to the call in which it was said
        return this.#progressed(body.parent ?? "", `${body.text}\n`);
      case "tool.requested":
        return [requested(body)];
      case "tool.started":
        return [{ sessionUpdate: "tool_call_update", toolCallId: body.call, status: "in_progress" }];
      case "tool.progressed":
        return this.#progressed(body.call, body.output);
      case "tool.ended":
        return [ended(body)];
      case "file.changed":
        return body.call === undefined ? [] : this.#changed(body.call, body.path);
      case "plan.updated":
        return [{ sessionUpdate: "plan", entries: body.steps.map(planEntry) }];
      case "context.compacted":
        return [{ sessionUpdate: "compaction_update", compactionId: id, status: "completed" }];
      case "status.reported":
        return [{ sessionUpdate: "notice", severity: body.level, title: body.message }];
      case "error.raised":
        return [{ sessionUpdate: "notice", severity: "error", title: body.message }];
      default: // what the protocol has no word for, or what is asked and not told
        return [];
    }
  }

  #progressed(call: string, piece: string): SessionUpdate[] {
    const shown = this.#calls.get(call) ?? nothing;
    const output = (shown.output + piece).slice(-longestProgress);
    this.#calls.set(call, { ...shown, output });
    return [{ sessionUpdate: "tool_call_update", toolCallId: call, content: contentOf(output) }];
  }

  #changed(call: string, path: string): SessionUpdate[] {
    const shown = this.#calls.get(call) ?? nothing;
    const paths = [...new Set([...shown.paths, resolve(this.#workspace, path)])];
    this.#calls.set(call, { ...shown, paths });
    const locations = paths.map((one) => ({ path: one }));
    return [{ sessionUpdate: "tool_call_update", toolCallId: call, locations }];
  }
}

function said(text: string): SessionUpdate[] {
  return text === "" ? [] : [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
}

function requested({ call, name, input }: EventOf<"tool.requested">): SessionUpdate {
  const title = toolTitle(name, input);
  const status = "pending";
  return { sessionUpdate: "tool_call", toolCallId: call, name, title, kind: toolKind(name), status, rawInput: input };
}

function ended({ call, ok, output, reason }: EventOf<"tool.ended">): SessionUpdate {
  // The protocol has one word for all that is not well; ours is kept beside it.
  const why = reason === undefined ? {} : { _meta: { fairlead: { reason } } };
  const told = output === "" ? {} : { content: contentOf(output) };
  return { sessionUpdate: "tool_call_update", toolCallId: call, status: ok ? "completed" : "failed", ...told, ...why };
}

function contentOf(text: string): ToolCallContent[] {
  return [{ type: "content", content: { type: "text", text } }];
}

function planEntry({ text, state }: EventOf<"plan.updated">["steps"][number]): {
  content: string;
  priority: "medium";
  status: PlanEntryStatus;
} {
  return { content: text, priority: "medium", status: planStates[state] };
}
