import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildOpenApi } from "@fairlead/api";
import { renderCompatibilityPage, renderJudgedVersions } from "../compatibility.ts";
import { renderDifferencesPage } from "../differences.ts";
import { renderEnforcementPage } from "../enforcement-page.ts";
import { root } from "../run.ts";
import { apiTables } from "./api-tables.ts";
import { renderCliPage } from "./cli-page.ts";
import { configurationTables } from "./configuration-tables.ts";
import { contractTables } from "./contract-tables.ts";
import { renderEnvironment } from "./environment-table.ts";
import { renderFleetPlan } from "./fleet-plan-table.ts";

/** The generated tables by the name of their markers: `<!-- NAME -->` before and `<!-- /NAME -->` after. */
const tables: Readonly<Record<string, () => string>> = {
  ...contractTables,
  ...configurationTables,
  ...apiTables,
  environment: renderEnvironment,
  "fleet-plan": renderFleetPlan,
};

/** The page that must contain each table of the reference. Other pages may repeat a table. */
const homeOfTable: Readonly<Record<string, string>> = {
  events: "docs/extend/contract.md",
  law: "docs/extend/contract.md",
  modes: "docs/extend/contract.md",
  capabilities: "docs/extend/contract.md",
  clauses: "docs/extend/contract.md",
  categories: "docs/extend/contract.md",
  "configuration-keys": "docs/use/configuration.md",
  "agent-settings": "docs/use/configuration.md",
  environment: "docs/use/configuration.md",
  routes: "docs/build/http-api.md",
  "error-codes": "docs/build/http-api.md",
  "fleet-plan": "docs/build/fleet.md",
};

/** The pages, and one file of code, that are generated as a whole. */
const wholePages: Readonly<Record<string, () => string>> = {
  "docs/use/cli.md": () => renderCliPage(),
  "docs/status/differences.md": renderDifferencesPage,
  "docs/status/compatibility.md": renderCompatibilityPage,
  "packages/adapters/src/judged-versions.ts": renderJudgedVersions,
  "docs/status/enforcement.md": renderEnforcementPage,
};

/** The OpenAPI document. `node scripts/openapi.ts` formats it, so only its content is compared. */
export const openapiPage = "docs/build/openapi.json";

/** A page or a table that differs from the code, or that is missing. */
export interface StalePage {
  readonly page: string;
  readonly problem: string;
}

/** A page as it should be. */
export interface GeneratedPage {
  readonly page: string;
  readonly text: string;
}

/** Replaces the generated tables of a page by those of the code. Markers of other names stay as they are. */
export function updateTables(text: string): string {
  let updated = text;
  for (const [name, render] of Object.entries(tables)) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const start = updated.indexOf(open);
    if (start < 0) continue;
    const end = updated.indexOf(close, start);
    if (end < 0) throw new Error(`The table ${name} cannot be written: ${close} is missing.`);
    updated = `${updated.slice(0, start + open.length)}\n\n${render()}\n\n${updated.slice(end)}`;
  }
  return updated;
}

/** Renders all pages that are generated or contain a generated table, except the OpenAPI document. */
export function renderPages(): GeneratedPage[] {
  const withTables = listPages().filter((page) => !(page in wholePages));
  return [
    ...Object.entries(wholePages).map(([page, render]) => ({ page, text: render() })),
    ...withTables.map((page) => ({ page, text: updateTables(readPage(page)) })),
  ];
}

/** Finds the pages that differ from the code, and the tables that no page contains. */
export function findStalePages(): StalePage[] {
  const command = "Run: node scripts/docs.ts";
  const missing = Object.entries(homeOfTable)
    .filter(([name, page]) => !readPage(page).includes(`<!-- ${name} -->`))
    .map(([name, page]) => ({
      page,
      problem: `The table ${name} is missing: add <!-- ${name} --> and <!-- /${name} -->.`,
    }));
  const stale = renderPages()
    .filter(({ page, text }) => !isSamePage(readPage(page), text))
    .map(({ page }) => ({ page, problem: `The page differs from the code. ${command}` }));
  const openapi = JSON.stringify(JSON.parse(readPage(openapiPage))) === JSON.stringify(buildOpenApi());
  return [
    ...missing,
    ...stale,
    ...(openapi ? [] : [{ page: openapiPage, problem: `The document differs from the routes. ${command}` }]),
  ];
}

/** Compares two texts of a page. A formatter may pad the cells of tables, so their spaces do not count. */
export function isSamePage(one: string, other: string): boolean {
  const normalize = (text: string): string =>
    text.replaceAll(/^\|.*$/gm, (row) => row.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---"));
  return normalize(one) === normalize(other);
}

/** Counts the generated pages and tables. */
export function countGenerated(): { readonly pages: number; readonly tables: number } {
  const texts = listPages().map(readPage);
  const count = Object.keys(tables).reduce(
    (sum, name) => sum + texts.filter((text) => text.includes(`<!-- ${name} -->`)).length,
    0,
  );
  return { pages: Object.keys(wholePages).length + 1, tables: count };
}

function listPages(): string[] {
  return globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).toSorted();
}

/** Reads a page. A page that does not exist is empty, so that it differs from what it should be. */
function readPage(page: string): string {
  const path = join(root, page);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
