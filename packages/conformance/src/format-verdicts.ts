import { clauses } from "@fairlead/contract";
import { isBlockingVerdict, type Verdict } from "./verdict.ts";

/**
 * Formats verdicts for a terminal: one line per clause with `N of M` findings kept, and the problems of broken clauses.
 */
export function formatVerdicts(verdicts: readonly Verdict[]): string {
  const mustVerdicts = verdicts.filter(({ level, status }) => level === "must" && status !== "absent");
  const lines = verdicts.map((verdict) => {
    const { clause, level, status, findings } = verdict;
    const keptCount = findings.filter((finding) => finding.problem === null).length;
    const count = status === "absent" ? "" : `${keptCount} of ${findings.length}`;
    const problems = findings
      .filter((finding) => finding.problem !== null)
      .map(
        (finding) =>
          `\n      ${finding.scenario}: ${(finding.problem ?? "").split("\n").slice(0, 6).join("\n        ")}`,
      );
    return `  ${status.padEnd(8)} ${clause.padEnd(21)} ${level.padEnd(6)} ${count.padEnd(9)}${clauses[clause].statement}${problems.join("")}`;
  });
  const keptCount = mustVerdicts.filter((verdict) => !isBlockingVerdict(verdict)).length;
  return [...lines, `  ${keptCount} of ${mustVerdicts.length} MUST clauses kept`].join("\n");
}
