import { expect, test } from "vitest";
import { adapterIsSmall } from "../claims/adapter-is-small.ts";
import { folderSize } from "../claims/folder-size.ts";

// Claims that only read the sources. A change that breaks one is found at once, not when all claims run.
test.each([adapterIsSmall, folderSize])("$id holds", async (claim) => {
  const { holds, measured } = await claim.prove();
  expect(holds, measured).toBe(true);
});
