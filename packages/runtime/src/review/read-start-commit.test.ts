import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readStartCommit } from "./read-start-commit.ts";
import { findWorkspaceChanges } from "./workspace-changes.ts";
import { TestRepository } from "@fairlead/testing/runtime/test-repository.ts";

it("reads the commit that git reports, from a loose, a packed and a detached reference, and in a worktree", async () => {
  using repository = new TestRepository();
  const head = (): string => repository.git("rev-parse", "HEAD").trim();
  expect(await readStartCommit(repository.workspace)).toBe(head());
  repository.git("pack-refs", "--all");
  expect(await readStartCommit(repository.workspace)).toBe(head());
  const worktree = join(repository.folder, "worktree");
  repository.git("worktree", "add", "--quiet", "-b", "feature/other", worktree);
  expect(await readStartCommit(worktree)).toBe(head());
  repository.git("checkout", "--quiet", "--detach");
  expect(await readStartCommit(repository.workspace)).toBe(head());
});

it("is null without a commit or a repository, and unknown if it cannot be read", async () => {
  using repository = new TestRepository();
  repository.git("checkout", "--quiet", "--orphan", "new");
  expect(await readStartCommit(repository.workspace)).toBeNull();
  const folder = mkdtempSync(join(tmpdir(), "bare-"));
  expect(await readStartCommit(folder)).toBeNull();
  rmSync(folder, { recursive: true });
  expect(await readStartCommit(folder)).toBeUndefined();
  writeFileSync(join(repository.workspace, ".git/HEAD"), "ref: refs/../../outside\n");
  expect(await readStartCommit(repository.workspace)).toBeUndefined();
  rmSync(join(repository.workspace, ".git/HEAD"));
  symlinkSync("/etc/hostname", join(repository.workspace, ".git/HEAD"));
  expect(await readStartCommit(repository.workspace)).toBeUndefined();
});

it("a patch since that commit contains what was committed afterwards", async () => {
  using repository = new TestRepository();
  const since = await readStartCommit(repository.workspace);
  repository.write("kept.txt", "committed\n");
  repository.write("added.txt", "added\n");
  repository.commit();
  repository.write("later.txt", "later\n");
  const { base, patch } = await findWorkspaceChanges(repository.workspace, { since });
  expect(base).toBe(since);
  expect(patch.match(/^\+[^+].*/gm)).toEqual(["+added", "+committed", "+later"]);
  expect((await findWorkspaceChanges(repository.workspace)).patch.match(/^\+[^+].*/gm)).toEqual(["+later"]);
  // A commit that was removed from the repository, and a session that started without one.
  const gone = "0123456789".repeat(4);
  expect(await findWorkspaceChanges(repository.workspace, { since: gone })).toMatchObject({
    base: repository.git("rev-parse", "HEAD").trim(),
  });
  expect((await findWorkspaceChanges(repository.workspace, { since: null })).patch).toContain("+gone\n");
});
