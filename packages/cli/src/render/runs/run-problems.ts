import { type CommandResult, type ReviewFinding, type RunEvent, toOneLine } from "@fairlead/api";

/** How many lines of the output of a failed command are shown. */
const maxOutputLines = 5;

/** Renders why work was not accepted: the commands that failed last, of each task, or the findings of the last review. */
export function runProblemLines(events: readonly RunEvent[]): string[] {
  const results = new Map<string | null, readonly CommandResult[]>();
  let findings: readonly ReviewFinding[] = [];
  for (const { body } of events) {
    if (body.type === "acceptance.ended") results.set(body.task, body.commands);
    if (body.type === "verdict.given") findings = body.verdict === "changes" ? body.findings : [];
  }
  const failed = [...results.values()].flat().filter(({ passed }) => !passed);
  if (failed.length === 0) return findings.map((finding) => `  ${findingLine(finding)}`);
  return failed.flatMap((result) => [
    `  ${formatFailure(result)}`,
    ...outputLines(result).map((line) => `    ${line}`),
  ]);
}

/** Renders a failed command: `npm test: exit code 1`. */
export function formatFailure({ command, problem }: CommandResult): string {
  return `${toOneLine(command)}: ${toOneLine(problem ?? "failed")}`;
}

/** Renders the end of the output of a command, and how to read all of it. Nothing if it printed nothing. */
export function outputLines({ output, session }: CommandResult): string[] {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return [];
  return [
    ...lines.slice(-maxOutputLines).map((line) => toOneLine(line)),
    `Read it all with: fairlead logs ${toOneLine(session)}`,
  ];
}

/** Renders a finding: `error: a.ts:3: wrong`. */
export function findingLine({ path, line, what, severity }: ReviewFinding): string {
  return `${severity}: ${toOneLine(path)}${line === undefined ? "" : `:${line}`}: ${toOneLine(what)}`;
}
