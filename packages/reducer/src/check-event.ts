import { AgentEvent } from "@fairlead/contract";

/** An event that may be stored, or a sentence about why not. */
export type CheckedEvent = { readonly event: AgentEvent } | { readonly problem: string };

/**
 * Checks an event against its schema before it reaches the journal. Without this check an event that a dialect filled with
 * an unexpected value of the agent would be stored, and every later read of the session would fail.
 */
export function checkEvent(body: unknown): CheckedEvent {
  const stored = withoutUndefined(body);
  const { success, error } = AgentEvent.safeParse(stored);
  if (success) return { event: stored as AgentEvent };
  const [issue] = error.issues;
  return { problem: `${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "no reason"}` };
}

/** Serializes a value that may not be JSON, for an event that reports it. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "a value that is not JSON";
  }
}

/** Removes fields without a value, as JSON does. A required field of any type would otherwise pass as present. */
function withoutUndefined(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  if (!Object.values(body).includes(undefined)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
