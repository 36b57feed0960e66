import type { DecisionView, Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { callSummary } from "../../render/decision-lines.ts";
import { toOneLine } from "../../render/tool-lines.ts";
import { UsageError } from "../../usage-error.ts";

/** The number of characters of a digest that people are shown. A shorter beginning could be found by trial. */
const shownDigestLength = 12;
const digestPattern = /^[\da-f]{12,64}$/;

export interface FindDecisionOptions {
  readonly sessionRef: string;
  /** The digest of the decision, its id, or the beginning of either. */
  readonly decisionRef: string | undefined;
  /** The command that the suggestion names. */
  readonly command: "approve" | "deny" | "answer";
  /** Whether the decision is only shown. */
  readonly onlyShow?: boolean;
}

/**
 * Finds the open decision of a session: the named one, or the only one if a person cannot have meant another one. Of a
 * decision that replaces another one only the digest is accepted, because the agent chooses the ids.
 */
export async function findWaitingDecision(
  fairlead: Fairlead,
  { sessionRef, decisionRef, command, onlyShow = false }: FindDecisionOptions,
): Promise<DecisionView> {
  const { session } = await fairlead.session(sessionRef);
  const waiting = (await fairlead.decisions()).filter((one) => one.session === session);
  if (waiting.length === 0) {
    throw new FairleadError(
      "decision-not-open",
      `${session} has no open decision. List open decisions with: fairlead status`,
    );
  }
  const found = decisionRef === undefined ? waiting : matchDecisions(waiting, decisionRef);
  const [first] = found;
  const isByDigest = decisionRef !== undefined && digestPattern.test(decisionRef);
  const isReplaced = first?.replaces === true && !isByDigest && !onlyShow;
  if (first !== undefined && found.length === 1 && !isReplaced) return first;
  const list = waiting.map((one) => `  ${shortDigest(one)}  ${callSummary(one)}`).join("\n");
  throw new UsageError(
    `${session} ${describeProblem(found.length, decisionRef)}:\n${list}`,
    `fairlead ${command} ${session}${command === "answer" ? " --decision" : ""} ${shortDigest(found[0] ?? waiting[0])}`,
  );
}

/** The beginning of a decision's digest, with which people name the decision. */
export function shortDigest(decision: Pick<DecisionView, "digest"> | undefined): string {
  return decision?.digest.slice(0, shownDigestLength) ?? "";
}

/** A reference that looks like a digest is nothing else: an agent could choose an id that looks like one. */
function matchDecisions(waiting: readonly DecisionView[], ref: string): readonly DecisionView[] {
  if (digestPattern.test(ref)) return waiting.filter(({ digest }) => digest.startsWith(ref));
  const exact = waiting.filter(({ decision }) => decision === ref);
  return exact.length > 0 ? exact : waiting.filter(({ decision }) => ref !== "" && decision.startsWith(ref));
}

function describeProblem(count: number, ref: string | undefined): string {
  if (count === 1) return "has replaced a request that was withdrawn. Read the new one, and name it";
  if (ref === undefined) return "has several open decisions. Name one";
  const name = `"${toOneLine(ref)}"`;
  return count === 0 ? `has no open decision ${name}. Open` : `has several open decisions ${name}. Open`;
}
