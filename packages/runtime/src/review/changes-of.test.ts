import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { changesOf } from "./changes-of.ts";
import { RepositoryForTest } from "./repository-for-test.ts";

it("has no base and no patch where there is no repository", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bare-"));
  mkdirSync(join(folder, ".git")); // empty, it is none
  expect(await changesOf(folder)).toEqual({ base: null, patch: "", truncated: false });
  rmSync(folder, { recursive: true });
});

it("is what changed, what is gone and what is new, and can be applied", async () => {
  using repository = new RepositoryForTest();
  repository.write(".gitignore", "ignored\n");
  repository.write("ignored", "no\n");
  repository.write(".git/info/exclude", "excluded\n");
  repository.write("excluded", "no\n");
  repository.write("kept.txt", "one\nthree\n");
  repository.write("näw/file with spaces", "new\n");
  rmSync(join(repository.workspace, "gone.txt"));
  const index = readFileSync(join(repository.workspace, ".git/index"));
  const { base, patch, truncated } = await changesOf(repository.workspace);
  expect({ base, truncated }).toEqual({ base: repository.git("rev-parse", "HEAD").trim(), truncated: false });
  expect(patch.match(/^diff .*/gm)).toEqual([
    "diff --git a/.gitignore b/.gitignore",
    "diff --git a/gone.txt b/gone.txt",
    "diff --git a/kept.txt b/kept.txt",
    "diff --git a/näw/file with spaces b/näw/file with spaces",
  ]);
  expect(readFileSync(join(repository.workspace, ".git/index"))).toEqual(index);

  using fresh = new RepositoryForTest();
  execFileSync("git", ["apply", "-"], { cwd: fresh.workspace, input: patch });
  expect(fresh.git("status", "--short", "--untracked-files=all")).toBe(
    repository.git("status", "--short", "--untracked-files=all"),
  );
});

it("is nothing when nothing has changed", async () => {
  using repository = new RepositoryForTest();
  expect(await changesOf(repository.workspace)).toMatchObject({ patch: "", truncated: false });
});

it("is everything before the first commit", async () => {
  using repository = new RepositoryForTest();
  repository.git("checkout", "--quiet", "--orphan", "new");
  const { base, patch } = await changesOf(repository.workspace);
  expect(base).toBeNull();
  expect(patch).toContain("+++ b/kept.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n");
});

it("shows what the agent has marked as unchanged", async () => {
  using repository = new RepositoryForTest();
  repository.git("update-index", "--assume-unchanged", "kept.txt");
  repository.git("update-index", "--skip-worktree", "gone.txt");
  repository.write("kept.txt", "hidden\n");
  repository.write("gone.txt", "hidden\n");
  expect(repository.git("diff", "HEAD")).toBe("");
  const { patch } = await changesOf(repository.workspace);
  expect(patch.match(/^\+hidden$/gm)).toHaveLength(2);
});

it("stays with the workspace, wherever the repository says that its files are", async () => {
  using repository = new RepositoryForTest();
  using other = new RepositoryForTest();
  other.write("secret.txt", "secret\n");
  repository.git("config", "core.worktree", other.workspace);
  expect(repository.git("status", "--short")).toContain("secret.txt");
  expect((await changesOf(repository.workspace)).patch).toBe("");
});

it("is about the folder in which the agent works", async () => {
  using repository = new RepositoryForTest();
  repository.write("outside.txt", "no\n");
  repository.write("inner/inside.txt", "yes\n");
  const { patch } = await changesOf(join(repository.workspace, "inner"));
  expect(patch.match(/^diff .*/gm)).toEqual(["diff --git a/inner/inside.txt b/inner/inside.txt"]);
});

it("knows worktrees, and repositories with longer names of objects", async () => {
  using repository = new RepositoryForTest();
  const tree = join(repository.folder, "tree");
  repository.git("worktree", "add", "--quiet", tree);
  writeFileSync(join(tree, "kept.txt"), "other\n");
  expect((await changesOf(tree)).patch).toContain("+other");

  const long = join(repository.folder, "long");
  mkdirSync(long);
  repository.git("init", "--quiet", "--object-format=sha256", long);
  writeFileSync(join(long, "a.txt"), "long\n");
  repository.git("-C", long, "add", "--all");
  repository.git("-C", long, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message=One");
  writeFileSync(join(long, "a.txt"), "longer\n");
  const { base, patch } = await changesOf(long);
  expect(base).toHaveLength(64);
  expect(patch).toContain("+longer");
});

it("goes on though a repository inside has no commit", async () => {
  using repository = new RepositoryForTest();
  repository.git("init", "--quiet", "a-inner");
  repository.write("new.txt", "new\n");
  expect((await changesOf(repository.workspace)).patch).toContain("+new");
});

it("is cut at a line when it is too long", async () => {
  using repository = new RepositoryForTest();
  repository.write("long.txt", "0123456789\n".repeat(1000));
  const { patch, truncated } = await changesOf(repository.workspace, { limit: 1000 });
  expect(truncated).toBe(true);
  expect(patch.length).toBeLessThanOrEqual(1000);
  expect(patch).toMatch(/\+0123456789\n$/);
});

it("gives up on a workspace that keeps it waiting", async () => {
  using repository = new RepositoryForTest();
  execFileSync("mkfifo", [join(repository.workspace, ".gitattributes")]);
  await expect(changesOf(repository.workspace, { patience: 1000 })).rejects.toMatchObject({ code: "timed-out" });
});
