import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findOwnProgram, followOwnPaths, leadsToAllowed, type OwnPathLimits } from "./own-paths.ts";

let root: string;
let limits: OwnPathLimits;
const at = (path: string): string => join(root, path);
const needs = (writes: string[], reads: string[] = []) => ({ writes, reads, hides: [], protects: [] });

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "own-")));
  for (const folder of ["home/.ssh", "home/.agent", "home/dot/agent/skills", "home/other", "data", "work"]) {
    mkdirSync(at(folder), { recursive: true });
  }
  limits = { workspace: at("work"), userHome: at("home"), namedHome: at("home"), dataDirectory: at("data") };
});
afterEach(() => rmSync(root, { recursive: true }));

test.each(["home/.ssh", "data", "home/other", "home", "."])("a link of an agent's shows it nothing of %s", (target) => {
  symlinkSync(at(target), at("home/.agent/skills"));
  const { reads } = followOwnPaths(needs([at("home/.agent/")], [at("home/.agent/skills")]), limits);
  expect(reads).toEqual([]);
});

test("a link of the user's to dotfiles is followed, in the agent's folder and to it", () => {
  symlinkSync(at("home/dot/agent/skills"), at("home/.agent/skills"));
  const own = needs([at("home/.agent/")], [at("home/.agent/skills")]);
  expect(followOwnPaths(own, limits).reads).toContain(at("home/dot/agent/skills"));
  symlinkSync("dot/agent", at("home/.linked"));
  const linked = needs([at("home/.linked/")], [at("home/.linked/skills")]);
  expect(followOwnPaths(linked, limits)).toEqual({
    writes: [at("home/.linked/"), at("home/dot/agent/")],
    reads: [at("home/.linked/skills"), at("home/dot/agent/skills")],
  });
});

test.each(["home/.ssh", "data", "home"])("an agent's folder that leads to %s is not writable", (target) => {
  symlinkSync(at(target), at("home/.linked"));
  expect(followOwnPaths(needs([at("home/.linked/")]), limits).writes).toEqual([]);
});

test("no folder is created where a link leads to a secret", () => {
  symlinkSync(at("home/.ssh"), at("home/.linked"));
  expect(leadsToAllowed(at("home/.linked/new"), limits)).toBe(false);
  expect(leadsToAllowed(at("home/.agent/new"), limits)).toBe(true);
});

test("a home that is a link changes nothing", () => {
  symlinkSync(at("home"), at("named"));
  const linked = { ...limits, namedHome: at("named") };
  mkdirSync(at("home/.cache/agent"), { recursive: true });
  expect(followOwnPaths(needs([at("named/.cache/agent/")]), linked).writes).toContain(at("home/.cache/agent/"));
  symlinkSync(at("home/.ssh"), at("home/.linked"));
  expect(leadsToAllowed(at("named/.linked"), linked)).toBe(false);
});

test("the program of an agent is found in its own folder, with the links that lead to it", () => {
  mkdirSync(at("home/.agent/packages/1"), { recursive: true });
  writeFileSync(at("home/.agent/packages/1/agent"), "");
  chmodSync(at("home/.agent/packages/1/agent"), 0o755);
  symlinkSync("packages/1", at("home/.agent/current"));
  symlinkSync(at("home/.agent/current/agent"), at("home/agent"));
  const found = findOwnProgram(at("home/agent"), [at("home/.agent/")]);
  expect(new Set(found)).toEqual(new Set([at("home/.agent/current"), at("home/.agent/packages")]));
  expect(findOwnProgram(at("home/agent"), [at("work")])).toEqual([]);
  expect(findOwnProgram(null, [at("home/.agent/")])).toEqual([]);
});
