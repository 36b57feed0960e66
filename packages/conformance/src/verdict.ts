import { clauses, type Capability, type Clause, type ClauseId } from "@fairlead/contract";

/** What became of one clause in one scenario. */
export interface Finding {
  readonly clause: ClauseId;
  readonly scenario: string;
  /** What was wrong, or null if it held. */
  readonly broken: string | null;
}

/** What became of one clause over all scenarios. */
export interface Verdict {
  readonly clause: ClauseId;
  readonly level: Clause["level"];
  /** `absent`: the agent does not declare what it needs. `unshown`: nothing has put it to the test, which is a failure. */
  readonly status: "kept" | "broken" | "absent" | "unshown";
  readonly findings: readonly Finding[];
}

/** One verdict for each clause, in the order of the contract. */
export function verdicts(findings: readonly Finding[], declared: readonly Capability[]): Verdict[] {
  return (Object.entries(clauses) as [ClauseId, Clause][]).map(([clause, { level, needs }]) => {
    const about = findings.filter((finding) => finding.clause === clause);
    return {
      clause,
      level,
      status: statusOf(
        about,
        (needs ?? []).every((need) => declared.includes(need)),
      ),
      findings: about,
    };
  });
}

function statusOf(findings: readonly Finding[], applies: boolean): Verdict["status"] {
  if (findings.some((finding) => finding.broken !== null)) return "broken";
  if (!applies) return "absent";
  return findings.length > 0 ? "kept" : "unshown";
}

/** Whether a verdict stands in the way. What SHOULD hold and does not is told and not counted. */
export function isFailure({ level, status }: Verdict): boolean {
  return level === "must" && (status === "broken" || status === "unshown");
}
