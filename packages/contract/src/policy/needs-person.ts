import type { EventOf } from "../agent-event.ts";

/**
 * Reports whether a person must answer a request. Otherwise the session's policy or its mode answers at once, and a client
 * that answered, too, could deny what they allow.
 */
export function needsPerson(
  mode: string | undefined,
  { kind, reading }: Pick<EventOf<"decision.requested">, "kind" | "reading">,
): boolean {
  if (kind === "question" || reading?.verdict === "ask") return true;
  if (reading?.verdict === "deny") return false;
  return reading?.verdict === "allow" ? mode === "plan" : mode !== "full-auto";
}
