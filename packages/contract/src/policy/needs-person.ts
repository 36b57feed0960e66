import type { EventOf } from "../agent-event.ts";

type DecisionRequest = EventOf<"decision.requested">;

/**
 * Reports whether a person must answer a request. Otherwise the session's policy or its mode answers at once, and a client
 * that answered, too, could deny what they allow.
 */
export function needsPerson(
  mode: string | undefined,
  request: Pick<DecisionRequest, "kind" | "reading" | "action" | "category">,
): boolean {
  const { kind, reading } = request;
  if (kind === "question" || reading?.verdict === "ask") return true;
  if (reading?.verdict === "deny") return false;
  if (reading?.verdict === "allow") return mode === "plan" && reading.onlyReads !== true;
  return !isAllowedByMode(mode, request);
}

/**
 * Reports whether the permission mode allows a call that no rule is about. An agent that asks about everything also asks
 * about edits, which `accept-edits` allows in the workspace, and about reading, which every agent does unasked.
 */
export function isAllowedByMode(
  mode: string | undefined,
  { action, category, reading }: Pick<DecisionRequest, "action" | "category" | "reading">,
): boolean {
  if (mode === "full-auto") return true;
  if (reading === undefined || (mode !== "default" && mode !== "accept-edits")) return false;
  const isPlainEdit = action?.kind === "edit" && action.incomplete !== true && category === undefined;
  return reading.onlyReads === true || (mode === "accept-edits" && isPlainEdit);
}
