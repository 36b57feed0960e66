import { type DecisionView, DiffStatistics, formatMoney, ReviewFinding } from "@fairlead/api";
import { escapeInvisible } from "@fairlead/contract";
import type { Paint } from "../paint.ts";
import { wrapWithPrefix } from "../text-layout.ts";
import { inputLines } from "../tool-input.ts";
import { formatChanges } from "./run-sentences.ts";

/** Renders what a person approves for a run: the changed files, the findings and the acceptance commands. */
export function runRequestLines(
  { input }: Pick<DecisionView, "input">,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): string[] {
  const { goal, tree, changes, files, findings, acceptance, usd, ...others } = input as Record<string, unknown>;
  const { data: counts } = DiffStatistics.safeParse(changes);
  const paths = listOf(files).map(String);
  const cost = typeof usd === "number" ? `, ${formatMoney(usd)} so far` : "";
  const hidden = paths.length === 0 ? 0 : (counts?.files ?? 0) - paths.length;
  const row = (text: string, indent = "    "): string[] => wrapWithPrefix(toLine(text), indent, indent, columns);
  return [
    ...inputLines({ goal, ...others }, { paint, full: true, columns }),
    ...row(`${counts === undefined ? "Changes" : formatChanges(counts)}${cost}, tree ${String(tree)}`),
    ...paths.flatMap((path) => row(path, "      ")),
    ...(hidden > 0 ? row(`… and ${hidden} more`, "      ") : []),
    ...findingRows(listOf(findings)).flatMap((text) => row(text)),
    ...commandRows(listOf(acceptance)).flatMap((text) => row(text)),
  ];
}

function findingRows(findings: readonly unknown[]): string[] {
  if (findings.length === 0) return ["The reviewer approved it without findings."];
  return findings.map((finding) => {
    const { data } = ReviewFinding.safeParse(finding);
    if (data === undefined) return `finding: ${JSON.stringify(finding)}`;
    const { severity, path, line, what } = data;
    return `${severity}: ${path}${line === undefined ? "" : `:${line}`}: ${what}`;
  });
}

function commandRows(commands: readonly unknown[]): string[] {
  if (commands.length === 0) return ["No command was run: the plan has no acceptance commands."];
  return (commands as { readonly command?: unknown; readonly passed?: unknown }[]).map(
    ({ command, passed }) => `${passed === true ? "passed" : "NOT PASSED"}: ${String(command)}`,
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What is shown must not hide behind the end of a line, or control the terminal. */
const toLine = (text: string): string => escapeInvisible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
