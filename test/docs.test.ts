import { readFileSync } from "node:fs";
import { join } from "node:path";
import { computeVerdicts } from "@fairlead/conformance";
import { adapters } from "@fairlead/adapters";
import { describe, expect, test } from "vitest";
import {
  findOutdatedClauses,
  readCompatibilityRecords,
  renderCompatibilityPage,
  toCompatibilityRecord,
} from "../scripts/compatibility.ts";
import { findStalePages, isSamePage, updateTables } from "../scripts/docs/generated-pages.ts";
import { enforcementModes, readEnforcementRecords } from "../scripts/enforcement-page.ts";
import { root } from "../scripts/run.ts";

test("every generated page and table matches the code (node scripts/docs.ts writes them)", () => {
  expect(findStalePages()).toEqual([]);
});

/** Lists the versions in the names of tarballs. VERSION stands for one that the reader chooses. */
function findTarballVersions(text: string): string[] {
  return [...text.matchAll(/\bfairlead-(\S+?)\.tgz\b/g)]
    .map(([, version = ""]) => version)
    .filter((version) => version !== "VERSION");
}

describe("the tarball that the documents install", () => {
  const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as { version: string };

  test.each(["README.md", "docs/use/install.md"])("has the version of packages/cli in %s", (page) => {
    expect([...new Set(findTarballVersions(readFileSync(join(root, page), "utf8")))]).toEqual([version]);
  });

  test("another version is found", () => {
    const text = `npm install ./fairlead-${version}.tgz\nnpm install ./fairlead-0.0.9-rc.1.tgz ./fairlead-VERSION.tgz`;
    expect(findTarballVersions(text)).toEqual([version, "0.0.9-rc.1"]);
  });
});

describe("updateTables", () => {
  test("replaces what is between the markers of a table, and only that", () => {
    const page = "Before.\n\n<!-- modes -->\n\n| mode |\n| --- |\n| `stale` |\n\n<!-- /modes -->\n\nAfter.\n";
    const updated = updateTables(page);
    expect(updated).toMatch(/^Before\.\n\n<!-- modes -->\n\n\| mode \|[^]*<!-- \/modes -->\n\nAfter\.\n$/);
    expect(updated).toContain("| `full-auto` |");
    expect(updated).not.toContain("stale");
    expect(isSamePage(page, updated)).toBe(false);
    expect(updateTables(updated)).toBe(updated);
  });

  test("does not touch markers of other names, and rejects a table without an end", () => {
    const page = "<!-- of-another-script -->\ntext\n<!-- /of-another-script -->\n";
    expect(updateTables(page)).toBe(page);
    expect(() => updateTables("<!-- modes -->\n")).toThrow("<!-- /modes --> is missing");
  });
});

test("padding in the cells of a table is no difference, and a letter is one", () => {
  const row = "| `a` | text |\n| --- | --- |\n";
  expect(isSamePage(row, "| `a`  | text  |\n| ------ | --- |\n")).toBe(true);
  expect(isSamePage(row, "| `a` | texts |\n| --- | --- |\n")).toBe(false);
  expect(isSamePage("two  spaces", "two spaces")).toBe(false);
});

describe("docs/status/enforcement.md (scripts/offline node scripts/enforcement.ts --note writes it)", () => {
  test("has every agent in each of its modes, and each of its categories was tried", () => {
    const records = readEnforcementRecords();
    const expected = adapters
      .filter(({ manifest }) => manifest.id !== "shell")
      .flatMap(({ manifest }) => enforcementModes(manifest).map((mode) => `${manifest.id} ${mode}`));
    expect(records.map(({ agent, mode }) => `${agent} ${mode}`).toSorted()).toEqual(expected.toSorted());
    for (const { findings } of records) expect(new Set(findings.map(({ category }) => category)).size).toBe(7);
  });
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
