import type { Capability, DecisionOption, EventOf } from "@fairlead/contract";
import { escapeLine } from "./escape-line.ts";

type DecisionRequested = EventOf<"decision.requested">;

/** The answers that a person may give to a request, beside allowing it once and denying it. */
export interface AnswerChoices {
  /** Whether the call can run with another input. */
  readonly canEdit: boolean;
  /** Whether the agent receives the reason of a denial. */
  readonly canExplain: boolean;
  /** What would be allowed for the session or from now on: `npm test …` with other arguments, `git push` without. */
  readonly grants: readonly string[];
  /** The agent's own ways to allow it. */
  readonly options: readonly DecisionOption[];
}

/** Lists the answers that the agent of a session and its policy support. */
export function listAnswerChoices(
  { kind, reading, options = [] }: Pick<DecisionRequested, "kind" | "reading" | "options">,
  capabilities: readonly Capability[],
): AnswerChoices {
  return {
    canEdit: kind === "approval" && capabilities.includes("edited-approvals"),
    canExplain: capabilities.includes("told-denials"),
    grants: grantLabels({ reading }),
    options,
  };
}

/** Names what a person may allow in general. Empty if nothing can be. */
export function grantLabels({ reading }: Pick<DecisionRequested, "reading">): string[] {
  return (reading?.grants ?? []).map(({ command, isExact }) => `${escapeLine(command)}${isExact ? "" : " …"}`);
}
