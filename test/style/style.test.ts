import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/run.ts";
import { findHomonyms, findMarkerWords, readExceptions, withoutExceptions } from "../../scripts/style.ts";

const exceptions = readExceptions(root);

describe("docs/style.md", () => {
  test("no file has a marker word", () => {
    expect(withoutExceptions(findMarkerWords(root), exceptions.words)).toEqual([]);
  });

  test("no name is exported by two packages", () => {
    const allowed = new Set(exceptions.homonyms.map(({ name }) => name));
    expect(findHomonyms(root).filter(({ name }) => !allowed.has(name))).toEqual([]);
  });

  test("a planted marker word and a planted homonym are found", () => {
    const planted = mkdtempSync(join(tmpdir(), "fairlead-style-"));
    try {
      for (const name of ["one", "two"]) {
        mkdirSync(join(planted, "packages", name, "src"), { recursive: true });
        const marker = ["Who", "ever"].join("");
        const text = `// ${marker} comes next waits.\nexport const planted = "${name}";\n`;
        writeFileSync(join(planted, "packages", name, "src/index.ts"), text);
      }
      expect(findMarkerWords(planted)).toHaveLength(2);
      expect(findHomonyms(planted)).toEqual([{ name: "planted", packages: ["one", "two"] }]);
    } finally {
      rmSync(planted, { recursive: true });
    }
  });

  test("every exception has a reason and is still needed", () => {
    const findings = findMarkerWords(root);
    const homonyms = findHomonyms(root);
    for (const one of exceptions.words) {
      expect(one.reason).not.toBe("");
      expect(withoutExceptions(findings, [one]).length, one.file).toBeLessThan(findings.length);
    }
    for (const one of exceptions.homonyms) {
      expect(one.reason).not.toBe("");
      expect(homonyms.map(({ name }) => name)).toContain(one.name);
    }
  });
});
