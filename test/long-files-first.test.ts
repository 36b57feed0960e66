import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longFiles, sortLongFilesFirst } from "../scripts/long-files-first.ts";
import { root } from "../scripts/run.ts";

test("every long file exists", () => {
  expect(longFiles.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("long files run first, and the others stay in their order", () => {
  const [first = "", second = ""] = longFiles;
  const files = ["/b.test.ts", `/r/${second}`, "/a.test.ts", `/r/${first}`];
  expect(sortLongFilesFirst(files, (file) => file)).toEqual([
    `/r/${first}`,
    `/r/${second}`,
    "/b.test.ts",
    "/a.test.ts",
  ]);
});
