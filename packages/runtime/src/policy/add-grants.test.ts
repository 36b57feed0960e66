import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PolicyGrant } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addGrants } from "./add-grants.ts";
import { readUserPolicy } from "./user-policy.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "grants-"));
  file = join(folder, "policy.yaml");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const grant: PolicyGrant = { command: "frob test", categories: ["unvetted"] };

test("a file is created with the grant, and nothing else is left", () => {
  addGrants(file, [grant]);
  expect(readUserPolicy(file)).toEqual({ default: true, grants: [grant] });
  expect(readdirSync(folder)).toEqual(["policy.yaml"]);
});

test("comments, rules and earlier grants are kept, and a grant is added once", () => {
  writeFileSync(file, "# mine\nrules:\n  - { verdict: deny, command: git push } # never\ngrants:\n  - command: a b\n");
  for (const _ of [1, 2]) addGrants(file, [grant]);
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^# mine\n/);
  expect(text).toContain("# never");
  expect(readUserPolicy(file).grants).toEqual([{ command: "a b", categories: [] }, grant]);
});

test("more categories are another grant", () => {
  addGrants(file, [grant]);
  addGrants(file, [{ ...grant, categories: ["unvetted", "network"] }]);
  expect(readUserPolicy(file).grants).toHaveLength(2);
});

test("a file that is not valid is left as it is", () => {
  writeFileSync(file, "rules: 1\n");
  expect(() => addGrants(file, [grant])).toThrow(/is not valid/);
  expect(readFileSync(file, "utf8")).toBe("rules: 1\n");
});
