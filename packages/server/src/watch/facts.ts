import type { Event } from "@fairlead/contract";

/** Every fact that may stand in the log. What is not named here is not written, whoever passes it. */
const names = [
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
  "version",
  "url",
  "why",
] as const;

export type Facts = { readonly [Name in (typeof names)[number]]?: string | number | boolean | null } & {
  /** What people and agents said; written only where that was asked for. */
  readonly content?: unknown;
};

/** No fact is long; whatever is, is something else. */
const longest = 200;

/** The facts as they may be written: the known ones, and of these only what is short and plain. */
export function writable(facts: Facts, content: boolean): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const name of names) {
    const value: unknown = facts[name];
    if (typeof value === "string") written[name] = value.slice(0, longest);
    else if (value === null || typeof value === "number" || typeof value === "boolean") written[name] = value;
  }
  if (content && facts.content !== undefined) written["content"] = facts.content;
  return written;
}

/** What is known of an event without saying what was said in it. */
export function factsOf({ session, sequence, turn, agent: agent, model, body }: Event): Facts {
  const about = {
    ...("outcome" in body && { outcome: body.outcome }),
    // That of something unrecognized may quote what was heard.
    ...("reason" in body && body.type !== "unrecognized" && body.reason !== undefined && { reason: body.reason }),
    ...("category" in body && { category: body.category }),
    ...("kind" in body && { kind: body.kind }),
    ...("by" in body && { by: body.by }),
  };
  return { session, sequence, turn, agent, model, type: body.type, ...about, content: body };
}
