import type { ClauseId } from "@fairlead/contract";
import { isBlockingVerdict, type Verdict } from "./verdict.ts";

/** Clauses that an adapter is known to break, each with the reason. The judge accepts no other failure. */
export type KnownFailures = Readonly<Partial<Record<ClauseId, string>>>;

/** Returns one sentence per failed verdict that is not a known failure, and per known failure that no longer fails. */
export function findUnexpectedVerdicts(verdicts: readonly Verdict[], known: KnownFailures = {}): string[] {
  return verdicts.flatMap((verdict) => {
    const isListed = known[verdict.clause] !== undefined;
    if (isBlockingVerdict(verdict) === isListed) return [];
    if (isListed)
      return [`${verdict.clause} is listed as a known failure, but is ${verdict.status}: remove it from the list.`];
    const failedFindings = verdict.findings.filter((finding) => finding.problem !== null);
    const problems = failedFindings.map((finding) => `${finding.scenario}: ${finding.problem}`).join("\n");
    return [`${verdict.clause} is ${verdict.status}. ${problems}`];
  });
}
