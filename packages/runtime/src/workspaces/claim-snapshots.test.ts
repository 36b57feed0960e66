import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SnapshotBench } from "@fairlead/testing/runtime/snapshot-bench.ts";
import { expect, test } from "vitest";
import { requireClaim } from "./claim-reference.ts";
import { findClone } from "./clone-facts.ts";
import { restoreWorkspace } from "./restore-workspace.ts";

const history = (bench: SnapshotBench): string[] => bench.inRemote("rev-list", "refs/fairlead/one").split("\n");

test("a host that restored a workspace and did not get the session does not stop the earlier host's snapshots", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  await bench.restore(repository);
  bench.run("echo three > a.txt");
  const second = await bench.snapshot(repository);
  expect(history(bench)).toEqual([second, first, repository.commit]);
});

test("a claim is made once, and refuses what the earlier host pushes after it", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  await bench.claim(repository);
  expect(bench.inRemote("for-each-ref", "refs/fairlead")).toBe(""); // control: nothing was restored
  await bench.restore(repository);
  await bench.claim(repository);
  const [claim] = history(bench);
  await bench.claim(repository);
  expect(history(bench)).toEqual([claim, repository.commit]);
  bench.run("echo stale > a.txt");
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "fenced" });
});

test("a snapshot that the earlier host pushes before the claim stays in the history", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  bench.run("echo three > a.txt; echo more > more.txt");
  renameSync(bench.workspace, `${bench.workspace}.earlier`);
  await bench.restore(repository);
  const late = await bench.snapshot(repository, { workspace: `${bench.workspace}.earlier` });
  await bench.claim(repository);
  const [claim] = history(bench);
  expect(history(bench)).toEqual([claim, late, first, repository.commit]);
  bench.run("echo new > sub/b.txt");
  const next = await bench.snapshot(repository, { home: bench.hosts[1] });
  expect(history(bench)).toEqual([next, claim, late, first, repository.commit]);
  expect(bench.inRemote("diff", "--name-status", first, next)).toBe("M\tsub/b.txt");
  bench.run("echo stale > a.txt");
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "fenced" });
});

test("the next snapshot claims if the repository was away", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  await bench.restore(repository);
  renameSync(bench.remote, `${bench.remote}.away`);
  await expect(bench.claim(repository)).rejects.toMatchObject({ code: "unavailable" });
  renameSync(`${bench.remote}.away`, bench.remote);
  // The claim does not depend on a change of the files.
  await bench.snapshot(repository, { home: bench.hosts[1] });
  expect(history(bench)).toEqual([expect.any(String), first, repository.commit]);
  bench.run("echo stale > a.txt");
  await expect(bench.snapshot(repository)).rejects.toMatchObject({ code: "fenced" });
});

test("a claim with a damaged store is made with a new one", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  await bench.restore(repository);
  rmSync(join(bench.hosts[1].snapshotFolder("one"), "git"), { recursive: true });
  await expect(bench.claim(repository)).rejects.toMatchObject({ code: "unavailable" });
  await bench.claim(repository);
  expect(history(bench)).toEqual([expect.any(String), repository.commit]);
});

test("a claim whose answer was lost is not repeated", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  await bench.restore(repository);
  await bench.claim(repository);
  const claimed = history(bench);
  // As if the process had ended before it could record the push.
  const [, home] = bench.hosts;
  const file = join(home.snapshotFolder("one"), "state.json");
  const state = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...state, pushed: repository.commit, hasReference: false }));
  await requireClaim(home, "one");
  await bench.claim(repository);
  expect(history(bench)).toEqual(claimed);
});

test("the snapshots of a session that continues another one follow that one's, also if it has newer ones", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  renameSync(bench.workspace, `${bench.workspace}.earlier`);
  await bench.restore(repository, { session: "two", continues: "one" });
  await bench.snapshot(repository, { workspace: `${bench.workspace}.earlier` });
  await bench.claim(repository, "two");
  bench.run("echo three > a.txt");
  const next = await bench.snapshot(repository, { session: "two", home: bench.hosts[1] });
  expect(bench.inRemote("rev-list", next).split("\n")).toEqual([next, expect.any(String), first, repository.commit]);
});

test("a workspace that another session uses is kept, and has snapshots of both", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  const [, home] = bench.hosts;
  await bench.restore(repository);
  await bench.claim(repository);
  bench.run("echo work > work.txt");
  // The second time as if the other session had arrived while this one cloned.
  for (const answers of [[true], [false, true]]) {
    const isUsed = (): Promise<boolean> => Promise.resolve(answers.shift() ?? false);
    expect(await bench.restore(repository, { session: "two", continues: "one", isUsed })).toEqual({ commit: null });
    expect(bench.listTree()["work.txt"]).toBe("file work\n");
    await bench.claim(repository, "two");
    for (const session of ["one", "two"]) {
      const commit = await bench.snapshot(repository, { home, session });
      expect(bench.inRemote("show", `${commit}:work.txt`)).toBe("work");
    }
  }
});

test("a restore that fails keeps what is known about the clone that it was to replace", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  await bench.restore(repository);
  const [, home] = bench.hosts;
  const missing = { ...repository, commit: "1".repeat(40) };
  const { workspace, environment } = bench;
  await expect(
    restoreWorkspace({ home, session: "two", workspace, repository: missing, environment }),
  ).rejects.toMatchObject({ code: "unavailable" });
  expect(findClone(home, workspace)).toMatchObject({ session: "one", isReady: true });
});
