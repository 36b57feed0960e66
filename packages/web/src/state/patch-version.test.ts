import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { expect, test } from "vitest";
import { patchVersionOf } from "./patch-version.ts";

const changed = (files: number) => ({ files, added: null, removed: null });

test("a file that is observed after the end of a turn changes the version, and one during the turn does not", () => {
  const version = (state: "idle" | "working", files: number): string =>
    patchVersionOf(exampleSession({ state, changes: changed(files) }));
  expect(version("idle", 2)).not.toBe(version("idle", 1));
  expect(version("working", 2)).toBe(version("working", 1));
  expect(version("idle", 1)).not.toBe(version("working", 1));
});
