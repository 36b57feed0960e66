import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SnapshotBench } from "@fairlead/testing/runtime/snapshot-bench.ts";
import { expect, test } from "vitest";

test("a restored clone has the branch, the host's user, and no reference of the snapshot", async () => {
  using bench = new SnapshotBench();
  const home = bench.environment["HOME"] ?? "";
  mkdirSync(home, { recursive: true });
  // The last name counts.
  writeFileSync(join(home, ".gitconfig"), '[user]\n\tname = First\n\tname = Ada "of" L.\n\temail = ada@example.com\n');
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  await bench.snapshot(repository);
  await bench.restore(repository);
  expect(bench.inWorkspace("config", "--local", "user.name")).toBe("Ada of L.");
  expect(bench.inWorkspace("config", "--local", "user.email")).toBe("ada@example.com");
  const references = bench.inWorkspace("for-each-ref", "--format=%(refname) %(objectname)").split("\n");
  const { commit } = repository;
  expect(references).toEqual([`refs/heads/main ${commit}`, `refs/remotes/origin/main ${commit}`]);
  expect(bench.inWorkspace("status", "--short", "--branch")).toBe("## main...origin/main\n M a.txt");
});

test("a clone has a commit that its branch has no more, and fails for one that nobody has", async () => {
  using bench = new SnapshotBench();
  const { repository } = bench;
  bench.person.git("commit", "--quiet", "--amend", "--message", "another");
  bench.person.git("push", "--quiet", "--force", "origin", "main");
  await bench.restore(repository);
  expect(bench.inWorkspace("rev-parse", "HEAD")).toBe(repository.commit);
  const missing = { ...repository, commit: "1".repeat(40) };
  await expect(bench.restore(missing)).rejects.toMatchObject({ code: "unavailable" });
});
