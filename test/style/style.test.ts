import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/run.ts";
import { findHomonyms, findMarkerWords, ownerOf, readExceptions, withoutExceptions } from "../../scripts/style.ts";

const exceptions = readExceptions(root);
/** The number of breaches that each package still has. It may only fall. */
const remaining = JSON.parse(readFileSync(join(root, "test/style/remaining.json"), "utf8")) as {
  readonly words: Readonly<Record<string, number>>;
  readonly homonyms: number;
};

describe("docs/style.md", () => {
  test("no package has more marker words than before", () => {
    const counts: Record<string, number> = {};
    for (const { file } of withoutExceptions(findMarkerWords(root), exceptions.words)) {
      counts[ownerOf(file)] = (counts[ownerOf(file)] ?? 0) + 1;
    }
    const grown = Object.entries(counts).filter(([owner, count]) => count > (remaining.words[owner] ?? 0));
    expect(grown).toEqual([]);
  });

  test("no more names than before are declared by two packages", () => {
    const found = findHomonyms(root).filter(({ name }) => !exceptions.homonyms.some((one) => one.name === name));
    expect(found.length, found.map(({ name }) => name).join(", ")).toBeLessThanOrEqual(remaining.homonyms);
  });

  test("a planted marker word and a planted homonym are found", () => {
    const planted = mkdtempSync(join(tmpdir(), "fairlead-style-"));
    try {
      for (const name of ["one", "two"]) {
        mkdirSync(join(planted, "packages", name, "src"), { recursive: true });
        const text = `// Who${"ever"} comes next waits.\nexport const planted = "${name}";\n`;
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
