import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  checkExamplePatch,
  classifyPatchFiles,
  examplePatches,
  readExamplePatch,
  RepositoryCopy,
} from "../scripts/small-steps.ts";

describe("the example patches (node scripts/small-steps.ts checks them)", { timeout: 120_000 }, () => {
  let copy: RepositoryCopy;
  beforeAll(async () => {
    copy = await RepositoryCopy.create();
  }, 120_000);
  afterAll(() => copy[Symbol.dispose]());

  test.each(examplePatches)("$name applies, type-checks and stays within its limits", async (example) => {
    const { problems, ...files } = await checkExamplePatch(copy, example);
    console.log(example.name, files);
    expect(problems).toEqual([]);
  });

  test("a patch above its limit is reported", async () => {
    const [example] = examplePatches;
    if (example === undefined) throw new Error("There are no example patches.");
    const { problems } = await checkExamplePatch(copy, { ...example, maxSources: 1 });
    expect(problems.join("\n")).toContain("the limit is 1");
  });
});

test("counts sources, adapter entries, tests and recordings separately", () => {
  const { sources, indexEntries, tests, recordings } = classifyPatchFiles(readExamplePatch("add-adapter"));
  expect(sources.map((file) => file.split("/").at(-1))).toEqual(["adapter.ts", "dialect.ts", "wire.ts"]);
  expect(indexEntries).toEqual(["javascriptAdapter,"]);
  expect(tests.every((file) => file.startsWith("packages/lab/"))).toBe(true);
  expect(recordings.every((file) => file.includes("/fixtures/"))).toBe(true);
  expect(recordings.length).toBeGreaterThan(0);
});
