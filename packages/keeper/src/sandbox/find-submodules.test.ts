import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSubmodules } from "./find-submodules.ts";

let top: string;
let modules: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "submodules-")));
  modules = join(top, ".git/modules");
});
afterEach(() => rmSync(top, { recursive: true }));

function addModule(name: string, config: string): void {
  mkdirSync(join(modules, name), { recursive: true });
  writeFileSync(join(modules, name, "config"), config);
}

test("finds the working trees of submodules, also of nested ones and of those with slashes in their names", () => {
  expect(findSubmodules(modules)).toEqual([]);
  addModule("a", "[core]\n\tbare = false\n\tworktree = ../../../a\n");
  addModule("libs/b", '[core]\n\tworktree = "../../../../moved \\"b\\""\n');
  addModule("a/modules/c", "[core]\n\tworktree = ../../../../../a/c\n");
  expect(findSubmodules(modules).toSorted()).toEqual([join(top, "a"), join(top, "a/c"), join(top, 'moved "b"')]);
});

test("is not held up by what an agent created there", () => {
  for (const name of ["pipe", "link", "deep"]) mkdirSync(join(modules, name), { recursive: true });
  execFileSync("mkfifo", [join(modules, "pipe/config")]);
  symlinkSync("/", join(modules, "link/all"));
  symlinkSync("/etc/passwd", join(modules, "link/config"));
  mkdirSync(join(modules, "deep", ...Array.from({ length: 50 }, () => "x")), { recursive: true });
  addModule("large", "x".repeat(1_000_000));
  for (let number = 0; number < 600; number++) addModule(`many${number}`, `[core]\nworktree = ../../../${number}\n`);
  expect(findSubmodules(modules)).toHaveLength(500);
});
