import type { ClauseId } from "@fairlead/contract";
import { isFailure, type Verdict } from "./verdict.ts";

/** Clauses that an adapter is known to break, each with the reason. The only way around the judge. */
export type KnownFailures = Readonly<Partial<Record<ClauseId, string>>>;

/** What stands in the way once known failures are set aside; an entry that is no longer true stands in the way too. */
export function objections(verdicts: readonly Verdict[], known: KnownFailures = {}): string[] {
  return verdicts.flatMap((verdict) => {
    const listed = known[verdict.clause] !== undefined;
    if (isFailure(verdict) === listed) return [];
    if (listed)
      return [`${verdict.clause} is listed as a known failure, but is ${verdict.status}: take it off the list.`];
    const where = verdict.findings.filter((finding) => finding.broken !== null);
    const why = where.map((finding) => `${finding.scenario}: ${finding.broken}`).join("\n");
    return [`${verdict.clause} is ${verdict.status}. ${why}`];
  });
}
