import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AgentEvent,
  capabilities,
  clauses,
  ErrorCategory,
  law,
  permissionModes,
  type Clause,
  type EventRule,
} from "@fairlead/contract";
import { root } from "../run.ts";
import { readCommentsOfLiterals, readDocCommentBefore } from "./doc-comments.ts";
import { code, renderTable } from "./markdown-table.ts";
import { listFields, type SchemaField } from "./schema-fields.ts";

/** The tables about the contract, by the name of their markers. */
export const contractTables: Readonly<Record<string, () => string>> = {
  events: () => renderTable(["event", "when", "fields"], AgentEvent.options.map(toEventRow)),
  law: () =>
    renderTable(["event", "only while open", "never while open", "opens", "closes"], Object.entries(law).map(toLawRow)),
  modes: () =>
    renderTable(
      ["mode", "means"],
      Object.entries(permissionModes).map(([mode, text]) => [code(mode), text]),
    ),
  capabilities: () =>
    renderTable(
      ["capability", "means"],
      Object.entries(capabilities).map(([name, text]) => [code(name), text]),
    ),
  clauses: () => renderTable(["clause", "level", "needs", "says"], Object.entries(clauses).map(toClauseRow)),
  categories: () => renderTable(["category", "means"], listCategories()),
};

const contractSources = "packages/contract/src";

function toEventRow(schema: (typeof AgentEvent.options)[number]): string[] {
  const type = schema.shape.type.value;
  const fields = listFields(schema).filter(({ name }) => name !== "type" && !name.includes("."));
  return [code(type), readEventComment(type), fields.map(describeField).join("<br>")];
}

function describeField({ name, type, isRequired }: SchemaField): string {
  // The categories have a table of their own, and there are too many for a cell.
  if (name === "category") return `${code(name)} one of the error categories`;
  return `${code(isRequired ? name : `${name}?`)} ${type}`;
}

/** The doc comment of an event's schema says when the event is written. */
function readEventComment(type: string): string {
  for (const file of globSync(`${contractSources}/events/*.ts`, { cwd: root })) {
    const source = readFileSync(join(root, file), "utf8");
    const literal = source.indexOf(`type: z.literal("${type}")`);
    const declaration = source.lastIndexOf("export const ", literal);
    const comment = literal < 0 ? null : readDocCommentBefore(source, declaration);
    if (comment !== null) return comment;
  }
  throw new Error(
    `The event ${type} cannot be documented: its schema in ${contractSources}/events has no doc comment.`,
  );
}

function listCategories(): string[][] {
  const comments = readCommentsOfLiterals(readFileSync(join(root, contractSources, "error-category.ts"), "utf8"));
  return ErrorCategory.options.map((category) => [code(category), comments.get(category) ?? "None of these."]);
}

function toLawRow([event, rule]: [string, EventRule]): string[] {
  const { within = "", outside = [], opens = "", closes = "", once } = rule;
  return [code(event), once ? `${within} (once)` : within, outside.join(", "), opens, closes];
}

function toClauseRow([id, clause]: [string, Clause]): string[] {
  return [
    code(id),
    clause.level.toUpperCase(),
    [...(clause.needs ?? []), ...(clause.lacks ?? []).map((one) => `not ${one}`)].join(", "),
    clause.statement,
  ];
}
