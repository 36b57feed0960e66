import { clauses } from "@fairlead/contract";
import { isFailure, type Verdict } from "./verdict.ts";

/** `N of M` by clause, as people read it: what is broken comes with what was wrong and where. */
export function report(verdicts: readonly Verdict[]): string {
  const must = verdicts.filter(({ level, status }) => level === "must" && status !== "absent");
  const lines = verdicts.map((verdict) => {
    const { clause, level, status, findings } = verdict;
    const kept = findings.filter((finding) => finding.broken === null).length;
    const count = status === "absent" ? "" : `${kept} of ${findings.length}`;
    const broken = findings
      .filter((finding) => finding.broken !== null)
      .map(
        (finding) =>
          `\n      ${finding.scenario}: ${(finding.broken ?? "").split("\n").slice(0, 6).join("\n        ")}`,
      );
    return `  ${status.padEnd(8)} ${clause.padEnd(20)} ${level.padEnd(6)} ${count.padEnd(9)}${clauses[clause].says}${broken.join("")}`;
  });
  const kept = must.filter((verdict) => !isFailure(verdict)).length;
  return [...lines, `  ${kept} of ${must.length} MUST clauses kept`].join("\n");
}
