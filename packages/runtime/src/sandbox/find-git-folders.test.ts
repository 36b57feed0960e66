import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findGitFolders } from "./find-git-folders.ts";

let top: string;
const options = { home: "/home/user", commits: () => true };
const none = { writes: [], protects: [], shows: [] };
const git = (...args: string[]): string =>
  execFileSync("git", ["-C", top, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "git-folders-")));
  git("init", "--quiet");
});
afterEach(() => rmSync(top, { recursive: true }));

test("finds the git folder of a repository, also from a folder in it", async () => {
  mkdirSync(join(top, "sub/sub"), { recursive: true });
  const found = await findGitFolders(top, options);
  expect(found.writes).toEqual([join(top, ".git")]);
  expect(found.protects).toEqual(expect.arrayContaining([join(top, ".git/config"), join(top, ".git/hooks")]));
  expect(await findGitFolders(join(top, "sub/sub"), options)).toEqual({ ...found, shows: [top] });
});

test("finds the shared git folder of a worktree", async () => {
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  git("worktree", "add", "--quiet", join(top, "tree"));
  const { writes, protects } = await findGitFolders(join(top, "tree"), options);
  expect(writes).toEqual([join(top, ".git"), join(top, ".git/worktrees/tree")]);
  // It names the folder with the configuration, of this and of every other worktree.
  expect(protects).toContain(join(top, ".git/worktrees/tree/commondir"));
  expect((await findGitFolders(top, options)).protects).toContain(join(top, ".git/worktrees/tree/commondir"));
});

test("shows of other worktrees the file by which git finds them, and no file that an agent made an entry of", async () => {
  const others = realpathSync(mkdtempSync(join(tmpdir(), "worktrees-")));
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  for (const name of ["one", "two", "three"]) git("worktree", "add", "--quiet", join(others, name));
  expect((await findGitFolders(top, options)).shows.toSorted()).toEqual(
    ["one", "three", "two"].map((name) => join(others, name, ".git")),
  );
  expect((await findGitFolders(join(others, "one"), options)).shows).not.toContain(join(others, "one/.git"));
  writeFileSync(join(others, "secret"), "gitdir: elsewhere");
  writeFileSync(join(top, ".git/worktrees/one/gitdir"), join(others, "secret"));
  writeFileSync(join(top, ".git/worktrees/two/gitdir"), join(others, "three/.git"));
  expect((await findGitFolders(top, options)).shows).toEqual([join(others, "three/.git")]);
  rmSync(others, { recursive: true });
});

test("protects the whole folder of a worktree whose repository is in a folder without commits", async () => {
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  const tree = `${top}-tree`;
  git("worktree", "add", "--quiet", tree);
  const commits = (folder: string): boolean => !folder.startsWith(`${top}/`);
  expect((await findGitFolders(tree, { ...options, commits })).writes).toEqual([]);
  expect((await findGitFolders(tree, options)).writes).toHaveLength(2);
  rmSync(tree, { recursive: true });
});

test("protects the whole folder if it is one whose hooks an agent could create, or whose link it could replace", async () => {
  const hooks = join(top, ".git/hooks");
  renameSync(hooks, join(top, ".git/others"));
  const readable = { writes: [], protects: [join(top, ".git")], shows: [] };
  expect(await findGitFolders(top, options)).toEqual(readable);
  symlinkSync("others", hooks);
  expect(await findGitFolders(top, options)).toEqual(readable);
});

test("protects the whole folder if git reads a configuration that an agent could create", async () => {
  git("config", "extensions.worktreeConfig", "true");
  expect((await findGitFolders(top, options)).writes).toEqual([]);
  writeFileSync(join(top, ".git/config.worktree"), "");
  expect((await findGitFolders(top, options)).writes).toEqual([join(top, ".git")]);
});

test("protects the whole folder if the user allows no commits", async () => {
  const found = await findGitFolders(top, { ...options, commits: () => false });
  expect(found).toEqual({ writes: [], protects: [join(top, ".git")], shows: [] });
});

test("protects the whole folder if it is not clear what it belongs to", async () => {
  renameSync(join(top, ".git/refs"), join(top, ".git/others"));
  symlinkSync("others", join(top, ".git/refs"));
  expect(await findGitFolders(top, options)).toEqual({ writes: [], protects: [join(top, ".git")], shows: [] });
});

test("finds none that contains the home, because the agent would see all of it", async () => {
  mkdirSync(join(top, "project"));
  expect(await findGitFolders(join(top, "project"), { ...options, home: top })).toEqual(none);
  expect(await findGitFolders(join(top, "project"), { ...options, home: join(top, "home") })).toEqual(none);
});

test("finds none outside of a repository", async () => {
  rmSync(join(top, ".git"), { recursive: true });
  expect(await findGitFolders(top, options)).toEqual(none);
  // The user may create one later, and allows no commits.
  const readable = { ...none, protects: [join(top, ".git")] };
  expect(await findGitFolders(top, { ...options, commits: () => false })).toEqual(readable);
});
