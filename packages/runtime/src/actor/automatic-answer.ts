import { isAllowedByMode, type CommandOf, type EventOf, type Opening } from "@fairlead/contract";

type AutomaticAnswer = Pick<CommandOf<"answer">, "answer" | "by">;

const allowedByMode: AutomaticAnswer = { answer: { type: "allow" }, by: { kind: "mode" } };

/**
 * Returns the answer that the session's policy or its permission mode gives to an approval, or null if a person must answer.
 * The policy comes first. In `plan` it only denies: nothing is allowed before the plan is.
 */
export function automaticAnswer(
  { mode, policy }: Pick<Opening, "mode" | "policy">,
  request: EventOf<"decision.requested"> | undefined,
): AutomaticAnswer | null {
  const { reading } = request ?? {};
  const byMode = isAllowedByMode(mode, request ?? {}) ? allowedByMode : null;
  if (policy === undefined || reading === undefined) return byMode;
  const rule = reading.rule === null ? {} : { rule: reading.rule };
  const denial = { type: "deny", message: reading.reason, interrupt: false } as const;
  switch (reading.verdict) {
    case "deny":
      return { answer: denial, by: { kind: "policy", ...rule } };
    case "ask":
      return policy.unattended === "deny" ? { answer: denial, by: { kind: "unattended", ...rule } } : null;
    case "allow":
      return mode === "plan" && reading.onlyReads !== true
        ? null
        : { answer: { type: "allow" }, by: { kind: "policy", ...rule } };
    case "none":
      return byMode;
    default:
      return reading.verdict satisfies never;
  }
}
