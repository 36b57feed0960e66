import { existsSync, lutimesSync, mkdirSync, readdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "@fairlead/testing/runtime/isolated-session.ts";
import { SnapshotBench } from "@fairlead/testing/runtime/snapshot-bench.ts";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test, vi } from "vitest";
import type { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";
import { departedKeepMs } from "../moving/departed-keep-ms.ts";
import { readCloneFacts, writeCloneFacts } from "./clone-facts.ts";
import { RepositoryWorkspaces, type RepositoryWorkspacesOptions } from "./repository-workspaces.ts";
import { snapshotWorkspace } from "./snapshot-workspace.ts";

async function start(
  runtime: Runtime,
  url: string,
  { ref = "main", session = "one", agent = "shell" } = {},
): Promise<Session> {
  return await runtime.workspaces.use(session, { url, ref }, (workspace) =>
    runtime.start({ agent, workspace, session }),
  );
}

async function end(session: Session): Promise<void> {
  await session.end();
  await eventsUntil(session, "session.ended");
}

/** Changes when a folder and all in it seem to have been written. */
function setAge(folder: string, age: number): void {
  const changedAt = new Date(Date.now() - age);
  for (const name of ["", ...listAll(folder)]) lutimesSync(join(folder, name), changedAt, changedAt);
}

function listAll(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
}

const listFolder = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

test("a session works in a clone of a repository, and forgetting it removes the clone and its snapshots", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home } = testHome;
  const runtime = await testHome.open();
  const session = await start(runtime, bench.remote);
  const { workspace } = await runtime.summary("one");
  expect(workspace).toBe(join(realpathSync(home.workspacesFolder), "one"));
  const { repository, sandbox } = session.state.opening!;
  expect(repository).toEqual({
    url: bench.remote,
    ref: "refs/heads/main",
    commit: bench.inRemote("rev-parse", "main"),
  });
  expect(sandbox).toMatchObject({ kind: "bwrap" });
  const script = `git status --short --branch; git config remote.origin.url; echo two > a.txt; git commit -qam work; git log --format=%s; echo three > a.txt; ls ${home.folder}; ls -A ..`;
  const output = await runCommand(session, script);
  expect(output).toContain("## main...origin/main");
  expect(output).toContain(bench.remote);
  expect(output).toContain("work\\nchange");
  expect(output).not.toMatch(/journal|sessions|clone\.json/);
  const environment = bench.environment;
  const options = { home, session: "one", turn: "t", workspace, repository: repository!, environment };
  const commit = await snapshotWorkspace(options);
  expect(bench.inRemote("show", `${commit}:a.txt`)).toBe("three");
  await end(session);
  // A session that continues it works in the same clone, and has the repository.
  const next = await runtime.resume("one", "fresh", { newId: "two" });
  expect(next.state.opening).toMatchObject({ workspace, repository });
  await end(next);
  await runtime.forget("one");
  expect(bench.inRemote("for-each-ref", "refs/fairlead")).toBe("");
  expect(existsSync(workspace)).toBe(true);
  await runtime.forget("two");
  expect(listFolder(home.workspacesFolder)).toEqual([]);
  expect(listFolder(home.snapshotsFolder)).toEqual([]);
});

test("a start that fails leaves no clone, and one whose process was killed does not prevent the next", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home, folder } = testHome;
  const workspacesFolder = join(folder, "elsewhere");
  const runtime = await testHome.open({ workspacesFolder });
  await expect(start(runtime, bench.remote, { agent: "none" })).rejects.toMatchObject({ code: "unknown-agent" });
  await expect(start(runtime, bench.remote, { ref: "missing" })).rejects.toMatchObject({
    code: "invalid-request",
    message: `The repository ${bench.remote} has no branch or tag missing.`,
  });
  await expect(start(runtime, join(folder, "missing"))).rejects.toMatchObject({ code: "unavailable" });
  await expect(start(runtime, bench.remote, { ref: "1".repeat(40) })).rejects.toMatchObject({ code: "unavailable" });
  expect(listFolder(workspacesFolder)).toEqual([]);
  expect(listFolder(home.snapshotsFolder)).toEqual([]);
  const temporary = join(workspacesFolder, ".one-killed");
  mkdirSync(join(temporary, ".git"), { recursive: true });
  writeFileSync(join(temporary, "half"), "");
  const half = { version: 1, session: "one", folder: join(workspacesFolder, "one"), temporary } as const;
  writeCloneFacts(home, { ...half, repository: bench.repository, isReady: false });
  const session = await start(runtime, bench.remote);
  expect(listFolder(workspacesFolder)).toEqual(["one"]);
  expect(await runCommand(session, "cat a.txt")).toContain("one");
});

test("the sweep removes clones without a session, and no others", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home } = testHome;
  const runtime = await testHome.open();
  await start(runtime, bench.remote);
  const folder = join(realpathSync(home.workspacesFolder), "two");
  const temporary = join(home.workspacesFolder, ".two-killed");
  for (const path of [folder, temporary]) mkdirSync(path);
  const facts = { version: 1, temporary, repository: bench.repository, isReady: true } as const;
  writeCloneFacts(home, { ...facts, session: "two", folder });
  // No path has this character, so that the removal fails.
  const failing = Array.from({ length: 8 }, (_, index) => `failing-${index}`);
  for (const session of failing) writeCloneFacts(home, { ...facts, session, folder: "\0" });
  await runtime.sweepFailedStarts();
  expect(listFolder(home.workspacesFolder)).toEqual(["one"]);
  expect(listFolder(home.snapshotsFolder).toSorted()).toEqual([...failing, "one"]);
});

test("a claim is made in the background, and what removes its session waits for it", async () => {
  using bench = new SnapshotBench();
  const repository = await bench.start();
  bench.run("echo two > a.txt");
  const first = await bench.snapshot(repository);
  await bench.restore(repository);
  const findTip = (): string => bench.inRemote("rev-parse", "refs/fairlead/one");
  const tips: string[] = [];
  const read = vi.fn<RepositoryWorkspacesOptions["projections"]["read"]>(() => {
    tips.push(findTip());
    return Promise.resolve(undefined);
  });
  const { workspace, environment } = bench;
  const options = { home: bench.hosts[1], environment, projections: { read, list: async function* () {} } };
  using workspaces = new RepositoryWorkspaces(options as unknown as RepositoryWorkspacesOptions);
  workspaces.claim("one", { workspace, repository });
  expect(findTip()).toBe(first);
  await workspaces.release("one");
  expect(tips).toEqual([expect.not.stringContaining(first)]);
  expect(bench.inRemote("rev-parse", `${tips[0]}^`)).toBe(first);
});

test("the sweep removes the clone of a session that moved away some days ago, and not one in which another session works", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home } = testHome;
  const runtime = await testHome.open();
  const session = await start(runtime, bench.remote);
  const { workspace, repository } = session.state.opening!;
  await end(session);
  const { log } = runtime.engine;
  const countClones = async (age: number): Promise<number> => {
    setAge(home.snapshotFolder("one"), age);
    setAge(workspace, age);
    await runtime.sweepFailedStarts();
    return listFolder(home.workspacesFolder).length;
  };
  expect(await countClones(2 * departedKeepMs)).toBe(1);
  await log.claim("one", JSON.stringify({ host: "elsewhere" }));
  expect(await countClones(departedKeepMs / 2)).toBe(1);
  // One that has come to its folder is in no list before it is driven.
  await runtime.workspaces.restore("two", { workspace, repository, continues: null });
  await log.claim("two", runtime.owner);
  expect(await countClones(2 * departedKeepMs)).toBe(1);
  await log.claim("two", JSON.stringify({ host: "elsewhere" }));
  expect(await countClones(2 * departedKeepMs)).toBe(0);
});

/** A session that another host has, and the clone that it has left. */
async function depart(
  testHome: TestHome,
  bench: SnapshotBench,
): Promise<{ readonly runtime: Runtime; readonly session: Session; readonly workspace: string }> {
  const runtime = await testHome.open();
  const session = await start(runtime, bench.remote);
  await runtime.engine.log.claim("one", JSON.stringify({ host: "elsewhere" }));
  return { runtime, session, workspace: session.state.opening!.workspace };
}

test("the sweep does not remove a folder that another host has made at the path of a clone", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home } = testHome;
  const { runtime, workspace } = await depart(testHome, bench);
  renameSync(workspace, `${workspace}.replaced`);
  mkdirSync(workspace);
  for (const folder of [workspace, home.snapshotFolder("one")]) setAge(folder, 2 * departedKeepMs);
  await runtime.sweepFailedStarts();
  expect(existsSync(workspace)).toBe(true);
  expect(listFolder(home.snapshotsFolder)).toEqual([]);
});

test("the sweep keeps a clone that was written to some days ago, also deep in it or by a session that is open elsewhere", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home } = testHome;
  const { runtime, session, workspace } = await depart(testHome, bench);
  const deep = join(workspace, "a/b/c/d");
  mkdirSync(deep, { recursive: true });
  const hasClone = async (age: number): Promise<boolean> => {
    for (const folder of [workspace, home.snapshotFolder("one")]) setAge(folder, 2 * departedKeepMs);
    setAge(deep, age);
    await runtime.sweepFailedStarts();
    return existsSync(workspace);
  };
  expect(await hasClone(departedKeepMs / 2)).toBe(true);
  expect(await hasClone(departedKeepMs * 1.5)).toBe(true);
  await (await runtime.attach(session.id)).end();
  await expect.poll(() => runtime.catalog.hasEnded("one")).toBe(true);
  await runtime.engine.log.claim("one", JSON.stringify({ host: "elsewhere" }));
  expect(await hasClone(departedKeepMs / 2)).toBe(true);
  expect(await hasClone(departedKeepMs * 1.5)).toBe(false);
});

test("the sweep keeps a clone of which an earlier version has not stored which folder it is", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const { home } = testHome;
  const { runtime, workspace } = await depart(testHome, bench);
  const { identity: _, ...facts } = readCloneFacts(home, "one")!;
  writeCloneFacts(home, facts);
  for (const folder of [workspace, home.snapshotFolder("one")]) setAge(folder, 2 * departedKeepMs);
  await runtime.sweepFailedStarts();
  expect(existsSync(workspace)).toBe(true);
});

test("forgetting a session does not remove a folder that another host has made at the path of its clone", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const runtime = await testHome.open();
  const session = await start(runtime, bench.remote);
  const { workspace } = session.state.opening!;
  await end(session);
  renameSync(workspace, `${workspace}.replaced`);
  mkdirSync(workspace);
  await runtime.forget("one");
  expect(existsSync(workspace)).toBe(true);
});

test("a session that arrives keeps the clone in which another open session works, and no other", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const runtime = await testHome.open();
  const session = await start(runtime, bench.remote);
  const { workspace, repository } = session.state.opening!;
  const work = join(workspace, "work.txt");
  const arrive = (id: string): Promise<void> =>
    runtime.workspaces.restore(id, { workspace, repository, continues: null });
  writeFileSync(work, "in an open turn");
  await arrive("two");
  expect(await runCommand(session, "cat work.txt")).toContain("in an open turn");
  // One that has arrived is in the index only when it is driven.
  await end(session);
  await runtime.engine.log.claim("two", runtime.owner);
  await arrive("three");
  expect(existsSync(work)).toBe(true);
  await runtime.engine.log.claim("two", JSON.stringify({ host: "elsewhere" }));
  await arrive("three");
  expect(existsSync(work)).toBe(false);
});

test("sessions that share a clone can arrive at once", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  const runtime = await testHome.open();
  const { repository, workspace } = bench;
  const arrive = (id: string): Promise<void> =>
    runtime.workspaces.restore(id, { workspace, repository, continues: null });
  await Promise.all(["one", "two", "three"].map(arrive));
  expect(listFolder(join(bench.folder, "workspaces"))).toEqual(["one"]);
  expect(bench.inWorkspace("status", "--porcelain")).toBe("");
});

test("a tag, a commit and the first branch can be cloned", async () => {
  await using testHome = new TestHome();
  using bench = new SnapshotBench();
  bench.person.git("tag", "-a", "-m", "v1", "v1");
  const first = bench.person.git("rev-parse", "HEAD");
  bench.person.commit({ "a.txt": "later\n" });
  bench.person.git("push", "--quiet", "origin", "main", "v1");
  const runtime = await testHome.open();
  const facts = async (ref: string, session: string) => {
    const { opening } = (await start(runtime, bench.remote, { ref, session })).state;
    return { ref: opening?.repository?.ref, commit: opening?.repository?.commit };
  };
  expect(await facts("v1", "tag")).toEqual({ ref: "refs/tags/v1", commit: first });
  expect(await facts(first, "commit")).toEqual({ ref: first, commit: first });
  expect(await facts("HEAD", "head")).toEqual({
    ref: "refs/heads/main",
    commit: bench.person.git("rev-parse", "HEAD"),
  });
});
