import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findWorkspaceChanges } from "./workspace-changes.ts";
import { TestRepository } from "@fairlead/testing/runtime/test-repository.ts";

it("returns no base and no patch without a repository", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bare-"));
  mkdirSync(join(folder, ".git")); // an empty .git folder is not a repository
  expect(await findWorkspaceChanges(folder)).toEqual({
    hasRepository: false,
    base: null,
    patch: "",
    truncated: false,
  });
  rmSync(folder, { recursive: true });
});

it("returns changed, deleted and new files as a patch that can be applied", async () => {
  using repository = new TestRepository();
  repository.write(".gitignore", "ignored\n");
  repository.write("ignored", "no\n");
  repository.write(".git/info/exclude", "excluded\n");
  repository.write("excluded", "no\n");
  repository.write("kept.txt", "one\nthree\n");
  repository.write("näw/file with spaces", "new\n");
  rmSync(join(repository.workspace, "gone.txt"));
  const index = readFileSync(join(repository.workspace, ".git/index"));
  const { base, patch, truncated } = await findWorkspaceChanges(repository.workspace);
  expect({ base, truncated }).toEqual({ base: repository.git("rev-parse", "HEAD").trim(), truncated: false });
  expect(patch.match(/^diff .*/gm)).toEqual([
    "diff --git a/.gitignore b/.gitignore",
    "diff --git a/gone.txt b/gone.txt",
    "diff --git a/kept.txt b/kept.txt",
    "diff --git a/näw/file with spaces b/näw/file with spaces",
  ]);
  expect(readFileSync(join(repository.workspace, ".git/index"))).toEqual(index);

  using fresh = new TestRepository();
  execFileSync("git", ["apply", "-"], { cwd: fresh.workspace, input: patch });
  expect(fresh.git("status", "--short", "--untracked-files=all")).toBe(
    repository.git("status", "--short", "--untracked-files=all"),
  );
});

it("returns an empty patch if nothing has changed", async () => {
  using repository = new TestRepository();
  expect(await findWorkspaceChanges(repository.workspace)).toMatchObject({ patch: "", truncated: false });
});

it("returns all files before the first commit", async () => {
  using repository = new TestRepository();
  repository.git("checkout", "--quiet", "--orphan", "new");
  const { base, patch } = await findWorkspaceChanges(repository.workspace);
  expect(base).toBeNull();
  expect(patch).toContain("+++ b/kept.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n");
});

it("includes files that the agent marked as unchanged", async () => {
  using repository = new TestRepository();
  repository.git("update-index", "--assume-unchanged", "kept.txt");
  repository.git("update-index", "--skip-worktree", "gone.txt");
  repository.write("kept.txt", "hidden\n");
  repository.write("gone.txt", "hidden\n");
  expect(repository.git("diff", "HEAD")).toBe("");
  const { patch } = await findWorkspaceChanges(repository.workspace);
  expect(patch.match(/^\+hidden$/gm)).toHaveLength(2);
});

it("reads the workspace even if the repository names another working tree", async () => {
  using repository = new TestRepository();
  using other = new TestRepository();
  other.write("secret.txt", "secret\n");
  repository.git("config", "core.worktree", other.workspace);
  expect(repository.git("status", "--short")).toContain("secret.txt");
  expect((await findWorkspaceChanges(repository.workspace)).patch).toBe("");
});

it("includes only the folder in which the agent works", async () => {
  using repository = new TestRepository();
  repository.write("outside.txt", "no\n");
  repository.write("inner/inside.txt", "yes\n");
  const { patch } = await findWorkspaceChanges(join(repository.workspace, "inner"));
  expect(patch.match(/^diff .*/gm)).toEqual(["diff --git a/inner/inside.txt b/inner/inside.txt"]);
});

it("supports worktrees and SHA-256 repositories", async () => {
  using repository = new TestRepository();
  const tree = join(repository.folder, "tree");
  repository.git("worktree", "add", "--quiet", tree);
  writeFileSync(join(tree, "kept.txt"), "other\n");
  expect((await findWorkspaceChanges(tree)).patch).toContain("+other");

  const long = join(repository.folder, "long");
  mkdirSync(long);
  repository.git("init", "--quiet", "--object-format=sha256", long);
  writeFileSync(join(long, "a.txt"), "long\n");
  repository.git("-C", long, "add", "--all");
  repository.git("-C", long, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message=One");
  writeFileSync(join(long, "a.txt"), "longer\n");
  const { base, patch } = await findWorkspaceChanges(long);
  expect(base).toHaveLength(64);
  expect(patch).toContain("+longer");
});

it("continues if a nested repository has no commit", async () => {
  using repository = new TestRepository();
  repository.git("init", "--quiet", "a-inner");
  repository.write("new.txt", "new\n");
  expect((await findWorkspaceChanges(repository.workspace)).patch).toContain("+new");
});

it("truncates a long patch at the end of a line", async () => {
  using repository = new TestRepository();
  repository.write("long.txt", "0123456789\n".repeat(1000));
  const { patch, truncated } = await findWorkspaceChanges(repository.workspace, { limit: 1000 });
  expect(truncated).toBe(true);
  expect(patch.length).toBeLessThanOrEqual(1000);
  expect(patch).toMatch(/\+0123456789\n$/);
});

it("times out on a workspace that blocks git", async () => {
  using repository = new TestRepository();
  execFileSync("mkfifo", [join(repository.workspace, ".gitattributes")]);
  await expect(findWorkspaceChanges(repository.workspace, { timeout: 1000 })).rejects.toMatchObject({
    code: "timed-out",
  });
});

it("takes stat data from another index, and shows the same", async () => {
  using repository = new TestRepository();
  repository.write("kept.txt", "one\nthree\n");
  repository.write("new.txt", "new\n");
  const { patch } = await findWorkspaceChanges(repository.workspace);
  const index = join(repository.folder, "index");
  repository.git("add", "--all");
  copyFileSync(join(repository.workspace, ".git/index"), index);
  expect((await findWorkspaceChanges(repository.workspace, { index })).patch).toBe(patch);
  writeFileSync(index, "damaged");
  expect((await findWorkspaceChanges(repository.workspace, { index })).patch).toBe(patch);
  expect((await findWorkspaceChanges(repository.workspace, { index: join(repository.folder, "no") })).patch).toBe(
    patch,
  );
});
