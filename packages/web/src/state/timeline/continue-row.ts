import { type ReadEvent, isTextComplete } from "@fairlead/contract";
import { changedPath, hiddenIn } from "./row-of-event.ts";
import type { TimelineRow, ToolRow } from "./timeline-row.ts";

/** A call that runs for hours may write without end. Its end has the whole output. */
const maxProgressLength = 8_000;

/**
 * Returns the key of the open row that an event continues, or null if it continues none. A call, a decision, a queued
 * message and a text in parts have events after their first one.
 */
export function continuedKey(body: ReadEvent["body"]): string | null {
  switch (body.type) {
    case "tool.requested":
    case "tool.started":
    case "tool.progressed":
    case "tool.ended":
      return `call ${body.call}`;
    case "file.changed":
      return body.call === undefined ? null : `call ${body.call}`;
    case "decision.requested":
    case "decision.resolved":
      return `decision ${body.decision}`;
    case "message.queued":
    case "message.returned":
    case "turn.started":
      return `message ${body.turn}`;
    case "text.ended":
    case "reasoning.ended":
      return body.part === undefined ? null : `${body.type} ${body.parent ?? ""}`;
    default:
      return null;
  }
}

/** Whether an event never begins a row: if the one that it continues is not held, its row is on an earlier page. */
export function isOnlyContinuation({ body }: ReadEvent): boolean {
  switch (body.type) {
    case "tool.started":
    case "tool.progressed":
    case "tool.ended":
    case "decision.resolved":
    case "message.returned":
      return true;
    case "text.ended":
    case "reasoning.ended":
      return body.part !== undefined && body.part > 1;
    default:
      return false;
  }
}

/** Adds an event to the row that it continues. Returns null if the event does not belong to this row. */
export function continueRow(row: TimelineRow, event: ReadEvent): TimelineRow | null {
  const { body, sequence, occurredAt } = event;
  const grown = { last: sequence, size: row.size + 1, hidden: row.hidden + hiddenIn(event) };
  switch (body.type) {
    case "tool.started":
      return isRunning(row) ? { ...row, ...grown, state: "running", enforcement: body.enforcement } : null;
    case "tool.progressed": {
      if (!isRunning(row)) return null;
      const output = (row.output + body.output).slice(-maxProgressLength);
      return { ...row, ...grown, output, elapsedSeconds: body.elapsedSeconds ?? row.elapsedSeconds };
    }
    case "tool.ended": {
      if (!isRunning(row)) return null;
      const state = body.ok ? "done" : (body.reason ?? "failed");
      return { ...row, ...grown, state, output: body.output, endedAt: occurredAt };
    }
    case "file.changed":
      return row.type === "tool" ? { ...row, ...grown, files: [...row.files, changedPath(body)] } : null;
    case "decision.resolved":
      if (row.type !== "decision" || row.resolution !== null) return null;
      return { ...row, ...grown, resolution: body, resolvedAt: occurredAt };
    case "message.returned":
      return row.type === "queued" && row.state === "waiting" ? { ...row, ...grown, state: body.reason } : null;
    case "turn.started":
      return row.type === "queued" && row.state === "waiting" ? { ...row, ...grown, state: "started" } : null;
    case "text.ended":
    case "reasoning.ended":
      if ((row.type !== "text" && row.type !== "reasoning") || !row.isOpen) return null;
      return { ...row, ...grown, ...continueText(row, event, body.text), isOpen: !isTextComplete(body) };
    default:
      return null;
  }
}

/** Adds a part of a text, unless the part before was cut: the two would look like one text without a gap. */
function continueText({ text, hidden }: TimelineRow & { text: string }, event: ReadEvent, part: string) {
  const whole = hiddenIn(event);
  if (hidden === 0) return { text: text + part, hidden: whole === 0 ? 0 : text.length + whole };
  return { text, hidden: hidden + (whole === 0 ? part.length : whole) };
}

function isRunning(row: TimelineRow): row is ToolRow {
  return row.type === "tool" && row.endedAt === null;
}
