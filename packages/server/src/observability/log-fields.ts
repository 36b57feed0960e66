import type { Event } from "@fairlead/contract";

/** All fields that the log may contain. A field that is not listed is dropped, whichever caller passes it. */
const fieldNames = [
  "session",
  "sequence",
  "turn",
  "agent",
  "model",
  "type",
  "outcome",
  "reason",
  "category",
  "kind",
  "by",
  "route",
  "status",
  "sessions",
  "seconds",
  "version",
  "url",
  "verdict",
  "bytesDiscarded",
] as const;

export type LogFields = { readonly [Name in (typeof fieldNames)[number]]?: string | number | boolean | null } & {
  /** Prompts and agent output. Written only if the logger is configured to include content. */
  readonly content?: unknown;
};

/** No field is long. A longer value is probably content. */
const maxFieldLength = 200;

/** Picks the known fields, and of these only primitive values, truncated to a safe length. */
export function pickLogFields(fields: LogFields, includeContent: boolean): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of fieldNames) {
    const value: unknown = fields[name];
    if (typeof value === "string") picked[name] = value.slice(0, maxFieldLength);
    else if (value === null || typeof value === "number" || typeof value === "boolean") picked[name] = value;
  }
  if (includeContent && fields.content !== undefined) picked["content"] = fields.content;
  return picked;
}

/** Returns the log fields of an event. Its body is in `content`, which the logger drops by default. */
export function eventLogFields({ session, sequence, turn, agent, model, body }: Event): LogFields {
  const details = {
    ...("outcome" in body && { outcome: body.outcome }),
    // The reason of an `unrecognized` event may quote agent output.
    ...("reason" in body && body.type !== "unrecognized" && body.reason !== undefined && { reason: body.reason }),
    ...("category" in body && body.category !== undefined && { category: body.category }),
    ...("kind" in body && { kind: body.kind }),
    ...("by" in body && { by: body.by.kind }),
  };
  return { session, sequence, turn, agent, model, type: body.type, ...details, content: body };
}
