import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildOpenApi } from "@fairlead/api";
import { computeVerdicts } from "@fairlead/conformance";
import { adapters } from "@fairlead/adapters";
import { describe, expect, test } from "vitest";
import {
  findOutdatedClauses,
  readCompatibilityRecords,
  renderCompatibilityPage,
  toCompatibilityRecord,
} from "../scripts/compatibility.ts";
import { renderDifferencesPage } from "../scripts/differences.ts";
import { contractPage, updateTables } from "../scripts/docs.ts";
import { openapiPage } from "../scripts/openapi.ts";
import { root } from "../scripts/run.ts";

test("docs/extend/contract.md has the tables of the code (node scripts/docs.ts writes them)", () => {
  const page = readFileSync(contractPage, "utf8");
  expect(page).toBe(updateTables(page));
});

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root });

test.each(pages)("every link in %s leads to a file", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? "");
  expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});

test("docs/status/differences.md matches the manifests (node scripts/docs.ts writes it)", () => {
  expect(readFileSync(new URL("../docs/status/differences.md", import.meta.url), "utf8")).toBe(renderDifferencesPage());
});

test("docs/build/openapi.json matches the routes (node scripts/openapi.ts writes it)", () => {
  expect(JSON.parse(readFileSync(openapiPage, "utf8"))).toEqual(buildOpenApi());
});

describe("docs/status/compatibility.md (npm run conformance -- --all --note writes it)", () => {
  const records = readCompatibilityRecords();

  test("matches the stored records", () => {
    expect(readFileSync(join(root, "docs/status/compatibility.md"), "utf8")).toBe(renderCompatibilityPage());
  });

  test.each(records)("$agent $version was judged on the clauses that apply today", (record) => {
    expect(findOutdatedClauses(record)).toEqual([]);
  });

  test("a record of today's verdicts is current, and one with another clause list is not", () => {
    const { id, version, capabilities } =
      adapters.find(({ manifest }) => manifest.id === "scripted")?.manifest ?? never();
    const record = toCompatibilityRecord(id, version, computeVerdicts([], capabilities));
    expect(findOutdatedClauses(record)).toEqual([]);
    const [first = "", ...others] = record.clauses;
    expect(findOutdatedClauses({ ...record, clauses: others })).toEqual([`the list lacks ${first}`]);
    expect(findOutdatedClauses({ ...record, clauses: [...record.clauses, "no:clause"] })).toEqual([
      "the contract has no no:clause",
    ]);
    expect(findOutdatedClauses({ ...record, clauses: others, absent: [...record.absent, first] })).toEqual([
      `now applicable: ${first}`,
    ]);
  });
});

function never(): never {
  throw new Error("The scripted adapter is missing.");
}
