import type { Sandbox } from "@fairlead/contract";
import { expect, test } from "vitest";
import { markDiscarded } from "./mark-discarded.ts";

const sandbox: Sandbox = {
  kind: "bwrap",
  workspace: "write",
  workspaceFolder: "/real/w",
  writes: ["/home/me/.agent"],
  protects: [],
  hides: [],
  shows: [],
  network: "open",
};
const files = ["a.txt", "/w/b.txt", "/real/w/c.txt", "/home/me/.agent/d.txt", "/tmp/e.txt", "/home/me/f.txt"];

function discardedOf(limits: Sandbox | undefined): string[] {
  const views = files.map((path) => ({ path }));
  return markDiscarded(views, "/w", limits).flatMap(({ path, discarded }) => (discarded ? [path] : []));
}

test("files outside of what a sandbox writes are marked", () => {
  expect(discardedOf(sandbox)).toEqual(["/tmp/e.txt", "/home/me/f.txt"]);
});

test("nothing is discarded without a sandbox", () => {
  expect(discardedOf({ ...sandbox, kind: "none" })).toEqual([]);
  expect(discardedOf(undefined)).toEqual([]);
});
