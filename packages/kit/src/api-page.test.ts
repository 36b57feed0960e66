import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("docs/extend/kit.md lists every export of the package once, and nothing else", () => {
  const exportLists = [...read("index.ts").matchAll(/\{([^}]*)\}/g)].flatMap(([, names = ""]) => names.split(","));
  const exportedNames = exportLists.map((name) => name.replace(/\btype\b/, "").trim()).filter((name) => name !== "");
  const rows = [...read("../../../docs/extend/kit.md").matchAll(/^\| `(\w+)` \| \S.*\. \|$/gm)];
  expect(rows.map(([, name = ""]) => name).toSorted()).toEqual(exportedNames.toSorted());
});
