import {
  closingEvents,
  cutText,
  maxEventBytes,
  maxTextLength,
  openScopes,
  splitIntoParts,
  type AgentEvent,
  type EventOf,
  type Ledger,
} from "@fairlead/contract";
import { unrecognizedEvent } from "@fairlead/kit";

type TextEvent = EventOf<"text.ended" | "reasoning.ended">;

/** How the reason of an `unrecognized` event begins if an event is too large and cannot be shortened. */
export const oversizeEventPrefix = "too large: ";

/**
 * Returns what to store of an event, so that no event is larger than `maxEventBytes`. A long text of the agent ends in
 * parts and loses nothing. Other long strings of the agent are cut, with a mark. Messages of a person are bounded when they
 * are accepted. The request of a decision is not cut, because a person approves what is shown.
 */
export function limitEvent(ledger: Ledger, body: AgentEvent): AgentEvent[] {
  if (body.type === "text.ended" || body.type === "reasoning.ended") return textParts(ledger, body);
  if (isShort(body)) return [body];
  const cut = cutStrings(body);
  const json = JSON.stringify(cut);
  const size = Buffer.byteLength(json);
  return size <= maxEventBytes ? [cut] : [unrecognizedEvent(json, `${oversizeEventPrefix}${body.type}, ${size} bytes`)];
}

/**
 * Splits a text, and numbers its parts. The dialect decides only whether a part continues the open text and whether it is
 * the last: a wrong number would make the text unlawful, and it would be lost.
 */
function textParts(ledger: Ledger, body: TextEvent): AgentEvent[] {
  const { part, last, text, ...rest } = body;
  const scope = body.type === "text.ended" ? "text" : "reasoning";
  const [open] = openScopes(ledger, scope);
  const continued = part !== undefined && part > 1 && open?.name === (body.parent ?? "") ? open : undefined;
  const abandoned = open !== undefined && continued === undefined ? closingTexts(ledger, body.type) : [];
  const pieces = splitIntoParts(text);
  const isComplete = part === undefined || last === true;
  if (continued === undefined && isComplete && pieces.length === 1) return [...abandoned, { ...rest, text }];
  const before = continued?.part ?? 0;
  const parts = pieces.map((piece, index): TextEvent => {
    const isLast = isComplete && index === pieces.length - 1;
    return { ...rest, text: piece, part: before + index + 1, ...(isLast && { last: true }) };
  });
  return [...abandoned, ...parts];
}

function closingTexts(ledger: Ledger, type: TextEvent["type"]): AgentEvent[] {
  const outcomes = { turn: "failed", tool: "unfinished", message: null } as const;
  return closingEvents(ledger, "turn", outcomes).filter((event) => event.type === type);
}

/** Shortens the strings that the agent wrote. Keys stay whole: other events refer to them. */
function cutStrings(body: AgentEvent): AgentEvent {
  switch (body.type) {
    case "tool.requested":
      return { ...body, name: cutText(body.name), input: cutInput(body.input) };
    case "tool.progressed":
      return { ...body, output: cutText(body.output) };
    case "tool.ended":
      return { ...body, name: cutText(body.name), output: cutText(body.output) };
    case "decision.requested":
      return { ...body, title: cutText(body.title) };
    case "turn.started":
      return body.origin === "user" ? body : { ...body, input: cutText(body.input) };
    case "plan.updated":
      return { ...body, steps: body.steps.map(({ text, state }) => ({ text: cutText(text), state })) };
    case "status.reported":
    case "error.raised":
      return { ...body, message: cutText(body.message) };
    case "unrecognized":
      return { ...body, reason: cutText(body.reason), raw: cutText(body.raw) };
    default:
      return body;
  }
}

/** One string of the greatest length fits, also if JSON needs six characters for each of its characters. */
const maxInputLength = 7 * maxTextLength;

/** Shortens the strings of an input. One with very many small values becomes the beginning of its JSON. */
function cutInput(input: unknown): unknown {
  const cut = cutValue(input);
  const json = JSON.stringify(cut) ?? "";
  return json.length <= maxInputLength ? cut : cutText(json);
}

function cutValue(value: unknown): unknown {
  if (typeof value === "string") return cutText(value);
  if (Array.isArray(value)) return value.map(cutValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, cutValue(child)]));
}

/** Whether all strings and values together are too few to reach a limit. Stops counting at the limit. */
function isShort(body: AgentEvent): boolean {
  let rest = maxTextLength;
  const count = (value: unknown): void => {
    if (rest < 0) return;
    // A number has at most 25 characters, and every value a separator.
    rest -= typeof value === "string" ? value.length : 25;
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      rest -= key.length;
      count(child);
    }
  };
  count(body);
  return rest >= 0;
}
