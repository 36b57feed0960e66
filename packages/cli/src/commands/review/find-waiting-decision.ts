import type { DecisionView, Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { toOneLine } from "../../render/tool-lines.ts";
import { quoteShellWord } from "../../shell/generate-completion.ts";
import { UsageError } from "../../usage-error.ts";

/** Finds the open decision of a session: the only one, or the one with the given id. */
export async function findWaitingDecision(
  fairlead: Fairlead,
  sessionRef: string,
  decision: string | undefined,
): Promise<DecisionView> {
  const { session } = await fairlead.session(sessionRef);
  const waiting = (await fairlead.decisions()).filter((one) => one.session === session);
  const [first, ...others] = waiting.filter((one) => decision === undefined || one.decision === decision);
  if (first !== undefined && others.length === 0) return first;
  if (waiting.length === 0) {
    throw new FairleadError(
      "decision-not-open",
      `${session} has no open decision. List open decisions with: fairlead status`,
    );
  }
  const list = waiting.map((one) => `  ${toOneLine(one.decision)}  ${toOneLine(one.title)}`).join("\n");
  const message = decision === undefined ? "has several open decisions" : `has no open decision "${decision}". Open`;
  throw new UsageError(
    `${session} ${message}:\n${list}`,
    `fairlead approve ${session} ${quoteDecisionId(waiting[0]?.decision ?? "")}`,
  );
}

/** Quotes an id that is not a plain word. The agent chose it, and a person may paste the suggestion into a shell. */
function quoteDecisionId(decision: string): string {
  return /^[\w.:-]+$/.test(decision) ? decision : quoteShellWord(toOneLine(decision));
}
