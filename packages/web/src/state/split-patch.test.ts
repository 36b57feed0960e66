import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { splitPatch } from "./split-patch.ts";

/** The files of real repositories, changed in every way that git writes differently. */
function makePatch(): string {
  const folder = mkdtempSync(join(tmpdir(), "patch-"));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: folder, encoding: "utf8" });
  const write = (name: string, text: string | Buffer): void => writeFileSync(join(folder, name), text);
  try {
    git("init", "-q");
    write("changed.txt", "one\ntwo\nthree\n");
    write("deleted.txt", "-- a line like a header\n");
    write("moved.txt", "same\n".repeat(20));
    write("with space.txt", "a\n");
    write("ä.txt", "a\n");
    write("binary", Buffer.from([0, 1, 2, 255]));
    git("add", ".");
    git("commit", "-qm", "first");
    write("changed.txt", "one\n++ two\n-- three\ndiff --git a/no b/no\n");
    write("with space.txt", "b\n");
    write("ä.txt", "b\n");
    write("binary", Buffer.from([0, 1, 3, 255]));
    write("new.txt", "new\n");
    write("empty.txt", "");
    git("mv", "moved.txt", "after.txt");
    git("rm", "-q", "deleted.txt");
    git("add", ".");
    return git("-c", "core.quotePath=false", "diff", "--cached", "-M");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a patch of git is split into its files, with their names and amounts", () => {
  const patch = makePatch();
  const files = splitPatch(patch);
  expect(files.map(({ source }) => source).join("")).toBe(patch);
  expect(Object.fromEntries(files.map(({ path, added, removed }) => [path, [added, removed]]))).toEqual({
    "changed.txt": [3, 2],
    "deleted.txt": [0, 1],
    "after.txt": [0, 0],
    "with space.txt": [1, 1],
    "ä.txt": [1, 1],
    binary: [0, 0],
    "new.txt": [1, 0],
    "empty.txt": [0, 0],
  });
  expect(files.filter(({ isBinary }) => isBinary).map(({ path }) => path)).toEqual(["binary"]);
});

test("an empty patch has no files", () => {
  expect(splitPatch("")).toEqual([]);
});
