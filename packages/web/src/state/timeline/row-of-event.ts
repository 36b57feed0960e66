import { type ReadEvent, stripContext } from "@fairlead/contract";
import { noteOfEvent } from "./note-of-event.ts";
import type { ChangedPath, TimelineRow, ToolRow } from "./timeline-row.ts";

/** The event, the key of its row, and the time of the event before it on its page. */
export interface RowContext {
  readonly event: ReadEvent;
  readonly key: string;
  readonly previousAt: string | null;
}

/** Returns the row that an event begins, or null if it begins none. */
export function rowOfEvent({ event, key, previousAt }: RowContext): TimelineRow | null {
  const { body, sequence, occurredAt } = event;
  const base = { key, first: sequence, last: sequence, size: 1, hidden: hiddenIn(event), at: occurredAt };
  switch (body.type) {
    case "turn.started": {
      // Context has a row of its own from before, or is that of a brief.
      const text = stripContext(body.input);
      return { ...base, type: "message", text, how: body.origin, hasContext: text !== body.input };
    }
    case "turn.steered":
      return { ...base, type: "message", text: body.text, how: "steered", hasContext: false };
    case "context.injected":
      return { ...base, type: "message", text: body.text, how: "injected", hasContext: false };
    case "message.queued":
      return { ...base, type: "queued", text: body.text, state: "waiting" };
    case "text.ended":
    case "reasoning.ended":
      return {
        ...base,
        ...parentOf(body),
        type: body.type === "text.ended" ? "text" : "reasoning",
        text: body.text,
        isOpen: body.part !== undefined && body.last !== true,
        seconds: previousAt === null ? null : secondsBetween(previousAt, occurredAt),
      };
    case "tool.requested":
      return {
        ...base,
        ...parentOf(body),
        ...emptyCall,
        call: body.call,
        name: body.name,
        input: body.input,
        action: body.action,
      };
    case "decision.requested":
      return { ...base, type: "decision", request: body, resolution: null, resolvedAt: null };
    case "plan.updated":
      return { ...base, type: "plan", steps: body.steps };
    case "file.changed":
      return { ...base, type: "files", files: [changedPath(body)] };
    case "turn.ended":
      return { ...base, type: "turn-end", outcome: body.outcome };
    case "unrecognized":
      return { ...base, type: "unrecognized", reason: body.reason, raw: body.raw };
    default: {
      const note = noteOfEvent(body);
      return note === null ? null : { ...base, type: "note", ...note };
    }
  }
}

const emptyCall = {
  type: "tool",
  state: "requested",
  output: "",
  endedAt: null,
  requested: null,
  waited: null,
  elapsedSeconds: null,
  enforcement: undefined,
  files: [],
} as const satisfies Partial<ToolRow>;

export function changedPath(body: Extract<ReadEvent["body"], { type: "file.changed" }>): ChangedPath {
  const { path, change, attribution } = body;
  return { path, change, ...(attribution !== undefined && { attribution }) };
}

function parentOf({ parent }: { readonly parent?: string | undefined }): { readonly parent?: string } {
  return parent === undefined ? {} : { parent };
}

/** How much of an event was cut. The lengths of the parts that are held are not subtracted: they are short. */
export function hiddenIn({ clipped = [] }: ReadEvent): number {
  return clipped.reduce((sum, { length }) => sum + length, 0);
}

export function secondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}
