import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findGitProtections } from "./find-git-protections.ts";

let root: string;
let home: string;
let workspace: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "git-protections-")));
  [home, workspace] = [join(root, "home"), join(root, "home/project")];
  mkdirSync(workspace, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", workspace, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
    env: { ...process.env, HOME: home },
  });

const find = (folder = workspace, writes: readonly string[] = [], hides: readonly string[] = []): string[] =>
  findGitProtections({ workspace: folder, env: { HOME: home }, writes, hides });

const write = (path: string, text = ""): string => {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
  return join(home, path);
};

const programs = (folder: string): string[] =>
  ["config", "config.worktree", "hooks", "modules"].map((name) => join(folder, name));

test("finds the repository that is there now, and all of its folder if hooks are missing", () => {
  expect(find()).toEqual([]);
  git("init", "--quiet");
  expect(find()).toEqual(programs(join(workspace, ".git")));
  git("config", "extensions.worktreeConfig", "true");
  expect(find()).toContain(join(workspace, ".git"));
  git("config", "--unset", "extensions.worktreeConfig");
  rmSync(join(workspace, ".git/hooks"), { recursive: true });
  expect(find()).toContain(join(workspace, ".git"));
});

test("finds the file of a worktree, and its folders only where the agent can write", () => {
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  const tree = join(home, "tree");
  git("worktree", "add", "--quiet", tree);
  expect(find(tree)).toEqual([join(tree, ".git")]);
  const common = join(workspace, ".git");
  const found = find(tree, [common, join(common, "worktrees/tree")]);
  expect(found).toEqual(expect.arrayContaining([join(tree, ".git"), ...programs(common)]));
  // The whole folders would keep the agent from committing.
  expect(found).not.toContain(common);
  expect(found).not.toContain(join(common, "worktrees/tree"));
});

test("finds folders of hooks and configurations that the repository names", () => {
  git("init", "--quiet");
  const file = write("project/shared/git.config", '[include]\n\tpath = "more # \\"1\\"" ; why\n');
  const more = write('project/shared/more # "1"', "[core] hooksPath = tools/ho\\\noks # ours\n");
  mkdirSync(join(workspace, "tools/hooks"), { recursive: true });
  git("config", "include.path", "../shared/git.config");
  expect(git("config", "core.hooksPath")).toBe("tools/hooks\n"); // control: git reads it too
  expect(find()).toEqual(expect.arrayContaining([file, more, join(workspace, "tools/hooks")]));
});

test("finds what the user's configuration names, and the configuration itself if it is in the workspace", () => {
  const file = write(
    "project/gitconfig",
    '[includeIf "gitdir:~/"]\npath = ~/project/work\n[core]\nhooksPath = .hooks\n',
  );
  symlinkSync(file, join(home, ".gitconfig"));
  const work = write("project/work");
  mkdirSync(join(workspace, ".hooks"));
  expect(find()).toEqual([file, join(workspace, ".hooks"), work]);
  git("init", "--quiet");
  expect(find()).toEqual(expect.arrayContaining([file, work, join(workspace, ".hooks")]));
  // An agent in a folder of the repository could create a repository there, so that the other seems not to count.
  mkdirSync(join(workspace, ".hooks/part/.git"), { recursive: true });
  git("config", "core.hooksPath", ".hooks/part/own");
  mkdirSync(join(workspace, ".hooks/part/own"));
  expect(find(join(workspace, ".hooks/part"))).toContain(join(workspace, ".hooks/part/own"));
});

test("finds the whole git folder if it lacks a configuration that is included", () => {
  git("init", "--quiet");
  git("config", "include.path", "local");
  expect(find()).toContain(join(workspace, ".git"));
  write("project/.git/local");
  expect(find()).not.toContain(join(workspace, ".git"));
  expect(find()).toContain(join(workspace, ".git/local"));
});

test("shows an agent nothing that it could not write before", () => {
  git("init", "--quiet");
  const [secret, hidden] = [write("secret"), write("project/hidden/file")];
  write("project/.git/config", `[include]\npath = ${secret}\npath = ${hidden}\npath = ../hidden\n`);
  expect(find()).toEqual(expect.arrayContaining([hidden, join(workspace, "hidden")])); // control
  const found = find(workspace, [], [home, join(workspace, "hidden")]);
  expect(found).toEqual(programs(join(workspace, ".git")));
});

test("is not held up by what an agent created", () => {
  git("init", "--quiet");
  rmSync(join(workspace, ".git/config"));
  execFileSync("mkfifo", [join(workspace, ".git/config")]);
  expect(find()).toContain(join(workspace, ".git"));
  rmSync(join(workspace, ".git/config"));
  const include = (name: string): string => `[include]\npath = ${name}\n`;
  write("project/.git/config", Array.from({ length: 1000 }, (_, at) => include(`file${at}`)).join(""));
  for (let at = 0; at < 1000; at++) write(`project/.git/file${at}`, include("config"));
  expect(find().length).toBeLessThan(120);
});
