import { appliesTo, clauses, type Capability, type Clause, type ClauseId } from "@fairlead/contract";

/** The result of checking one clause in one scenario. */
export interface Finding {
  readonly clause: ClauseId;
  readonly scenario: string;
  /** Why the clause was broken, or null if it was kept. */
  readonly problem: string | null;
}

/** The result for one clause over all scenarios. */
export interface Verdict {
  readonly clause: ClauseId;
  readonly level: Clause["level"];
  /**
   * `absent`: the clause does not apply to the capabilities that the agent declares. `unshown`: no scenario has verified it, which is a
   * failure.
   */
  readonly status: "kept" | "broken" | "absent" | "unshown";
  readonly findings: readonly Finding[];
}

/** Combines findings into one verdict per clause, in the order of the contract. */
export function computeVerdicts(findings: readonly Finding[], declared: readonly Capability[]): Verdict[] {
  return (Object.entries(clauses) as [ClauseId, Clause][]).map(([clause, contractClause]) => {
    const clauseFindings = findings.filter((finding) => finding.clause === clause);
    return {
      clause,
      level: contractClause.level,
      status: statusOf(clauseFindings, appliesTo(contractClause, declared)),
      findings: clauseFindings,
    };
  });
}

function statusOf(findings: readonly Finding[], applies: boolean): Verdict["status"] {
  if (findings.some((finding) => finding.problem !== null)) return "broken";
  if (!applies) return "absent";
  return findings.length > 0 ? "kept" : "unshown";
}

/** Whether a verdict fails the adapter: a MUST clause that is broken or unshown. SHOULD clauses are only reported. */
export function isBlockingVerdict({ level, status }: Verdict): boolean {
  return level === "must" && (status === "broken" || status === "unshown");
}
