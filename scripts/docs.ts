/** Writes the tables of docs/contract.md, and docs/differences.md, from the code: `node scripts/docs.ts`. A test fails when they differ. */
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
import { differencesPage } from "./differences.ts";
import { root } from "./run.ts";

export const contractPage = join(root, "docs/contract.md");

/** The page with its tables as the code has them. */
export function withTables(page: string): string {
  return Object.entries(tables()).reduce((text, [name, table]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [before, after] = [text.indexOf(open) + open.length, text.indexOf(close)];
    if (after < 0) throw new Error(`docs/contract.md has no place for ${name}.`);
    return `${text.slice(0, before)}\n\n${table}\n\n${text.slice(after)}`;
  }, page);
}

function tables(): Record<string, string> {
  return {
    law: table(["event", "only while open", "never while open", "opens", "closes"], Object.entries(law).map(lawRow)),
    modes: table(["mode", "means"], Object.entries(permissionModes)),
    capabilities: table(["capability", "means"], Object.entries(capabilities)),
    clauses: table(["clause", "level", "needs", "says"], Object.entries(clauses).map(clauseRow)),
    categories: ErrorCategory.options.map((category) => `\`${category}\``).join(" · "),
  };
}

function lawRow([event, rule]: [string, EventRule]): string[] {
  const { within = "", outside = [], opens = "", closes = "", once } = rule;
  return [`\`${event}\``, once ? `${within} (once)` : within, outside.join(", "), opens, closes];
}

function clauseRow([id, clause]: [string, Clause]): string[] {
  return [`\`${id}\``, clause.level.toUpperCase(), (clause.needs ?? []).join(", "), clause.says];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  writeFileSync(contractPage, withTables(readFileSync(contractPage, "utf8")));
  writeFileSync(join(root, "docs/differences.md"), differencesPage());
}
