/**
 * Writes docs/status/differences.md and the tables of docs/extend/contract.md from the code: `node scripts/docs.ts`. A test compares
 * them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  capabilities,
  clauses,
  ErrorCategory,
  law,
  permissionModes,
  type Clause,
  type EventRule,
} from "@fairlead/contract";
import { renderDifferencesPage } from "./differences.ts";
import { root } from "./run.ts";

export const contractPage = join(root, "docs/extend/contract.md");

/** Replaces the tables of docs/extend/contract.md by those of the code. */
export function updateTables(page: string): string {
  return Object.entries(renderTables()).reduce((text, [name, table]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [before, after] = [text.indexOf(open) + open.length, text.indexOf(close)];
    if (after < 0)
      throw new Error(`The table ${name} cannot be written: docs/extend/contract.md has no <!-- ${name} --> markers.`);
    return `${text.slice(0, before)}\n\n${table}\n\n${text.slice(after)}`;
  }, page);
}

function renderTables(): Record<string, string> {
  return {
    law: renderTable(
      ["event", "only while open", "never while open", "opens", "closes"],
      Object.entries(law).map(toLawRow),
    ),
    modes: renderTable(["mode", "means"], Object.entries(permissionModes)),
    capabilities: renderTable(["capability", "means"], Object.entries(capabilities)),
    clauses: renderTable(["clause", "level", "needs", "says"], Object.entries(clauses).map(toClauseRow)),
    categories: ErrorCategory.options.map((category) => `\`${category}\``).join(" · "),
  };
}

function toLawRow([event, rule]: [string, EventRule]): string[] {
  const { within = "", outside = [], opens = "", closes = "", once } = rule;
  return [`\`${event}\``, once ? `${within} (once)` : within, outside.join(", "), opens, closes];
}

function toClauseRow([id, clause]: [string, Clause]): string[] {
  return [`\`${id}\``, clause.level.toUpperCase(), (clause.needs ?? []).join(", "), clause.statement];
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  writeFileSync(contractPage, updateTables(readFileSync(contractPage, "utf8")));
  writeFileSync(join(root, "docs/status/differences.md"), renderDifferencesPage());
}
