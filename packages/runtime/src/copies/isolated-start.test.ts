import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@fairlead/contract";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { commitAll as commit, runCommand, startIsolated } from "@fairlead/testing/runtime/isolated-session.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { expect, test } from "vitest";

function statusMessages(events: readonly Event[]): string {
  return events.flatMap(({ body }) => (body.type === "status.reported" ? [body.message] : [])).join("\n");
}

function listCopies({ home }: TestHome): string[] {
  return existsSync(home.copiesFolder) ? readdirSync(home.copiesFolder) : [];
}

const listReferences = (repository: PersonRepository): string => repository.git("for-each-ref", "--format=%(refname)");

test("an isolated session commits in a clone of its own, and the person's repository does not change", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"), { "a.txt": "one\n", "sub/b.txt": "two\n" });
  repository.write({ "a.txt": "changed\n", "new.txt": "new\n" });
  const session = await startIsolated(runtime, join(repository.folder, "sub"), "one");
  const { workspace, copy, sandbox } = await runtime.summary("one");
  const clone = join(realpathSync(testHome.home.copiesFolder), "one/project");
  expect(workspace).toBe(join(clone, "sub"));
  const base = repository.git("rev-parse", "HEAD");
  expect(copy).toEqual({ workspace: join(repository.folder, "sub"), branch: "fairlead/one", base });
  expect(sandbox).toMatchObject({ kind: "bwrap" });
  expect(statusMessages(await readJournal(runtime, "one"))).toContain("2 uncommitted changes in");
  // The agent sees what was committed, and can commit. It does not write into the person's repository.
  const output = await runCommand(
    session,
    `cat ../a.txt; git log --format=%s; echo three > b.txt; ${commit}; git status --short; git branch --show-current; ls ${testHome.home.folder}; ls -A ${repository.folder}; ls ${repository.folder}/.git; touch ${repository.folder}/.git/objects/x; touch ${repository.folder}/x; git remote`,
  );
  expect(output).toContain("one");
  expect(output).toContain("fairlead/one");
  expect(output).not.toMatch(/journal|sessions|new\.txt|HEAD/);
  expect(output.match(/Read-only file system/g)).toHaveLength(1);
  expect(execFileSync("git", ["log", "--format=%s", "fairlead/one"], { cwd: clone, encoding: "utf8" })).toBe(
    "work\nchange\n",
  );
  expect(repository.git("rev-parse", "HEAD")).toBe(base);
  expect(repository.git("status", "--short")).toBe("M a.txt\n?? new.txt");
  expect(existsSync(join(repository.folder, "x"))).toBe(false);
  expect(listReferences(repository)).toBe("refs/fairlead-bases/one\nrefs/heads/main");
  // The base stays when the person rewrites the branch and collects garbage.
  repository.git("checkout", "--quiet", "--orphan", "other");
  repository.git("commit", "--quiet", "-m", "other");
  repository.git("branch", "-D", "main");
  repository.git("reflog", "expire", "--expire=now", "--all");
  repository.git("gc", "--quiet", "--prune=now");
  expect(await runCommand(session, "git fsck && git log --oneline | wc -l")).toContain("2");
});

test("a session that was forked or resumed works in the same copy, and a removed copy is named", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const session = await startIsolated(runtime, repository.folder, "one");
  const { workspace } = await runtime.summary("one");
  const fork = await runtime.fork("one", { session: "two", outcome: "fresh" });
  expect(await runtime.summary("two")).toMatchObject({ workspace, copy: { branch: "fairlead/one" } });
  expect(await runCommand(fork, `echo two > two.txt && ${commit} && git branch --show-current`)).toContain(
    "fairlead/one",
  );
  await session.end();
  await eventsUntil(session, "session.ended");
  const next = await runtime.resume("one", "fresh", { newId: "three" });
  expect(await runCommand(next, "cat two.txt")).toContain("two");
  await next.end();
  await eventsUntil(next, "session.ended");
  // Another session works in the copy.
  await runtime.forget("one");
  expect(listCopies(testHome)).toEqual(["one"]);
  rmSync(workspace, { recursive: true });
  await expect(runtime.resume("three", "fresh")).rejects.toThrow(`${workspace} is not a folder`);
});

test.each([
  ["a folder without a repository", "not in a working tree of git", (): void => {}],
  [
    "a repository without a commit",
    "repository without a commit",
    (folder: string): void => void new PersonRepository(folder, {}),
  ],
  [
    "a bare repository",
    "not in a working tree of git",
    (folder: string): void => void execFileSync("git", ["init", "-q", "--bare", folder]),
  ],
  [
    "a folder that is not in the commit",
    "not in the last commit",
    (folder: string): void => void new PersonRepository(join(folder, "..")),
  ],
  [
    "a repository that borrows objects",
    "borrows objects",
    (folder: string): void => {
      const source = new PersonRepository(`${folder}-source`);
      execFileSync("git", ["clone", "-q", "--shared", source.folder, folder]);
    },
  ],
] as const)("%s is refused, and nothing is left", async (_name, message, prepare) => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const folder = join(testHome.folder, "w/project");
  mkdirSync(folder, { recursive: true });
  prepare(folder);
  await expect(startIsolated(runtime, folder, "one")).rejects.toThrow(message);
  expect(listCopies(testHome)).toEqual([]);
  expect(await Array.fromAsync(runtime.catalog.listTails())).toEqual([]);
  if (existsSync(join(folder, "../.git"))) {
    expect(execFileSync("git", ["for-each-ref"], { cwd: folder, encoding: "utf8" })).not.toContain(
      "refs/fairlead-bases",
    );
  }
});

test.each(["shallow", "linked worktree"])("a %s repository can be the source", async (kind) => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "source"));
  repository.commit({ "a.txt": "two\n" });
  const folder = join(testHome.folder, "project");
  if (kind === "shallow") execFileSync("git", ["clone", "-q", "--depth=1", `file://${repository.folder}`, folder]);
  else repository.git("worktree", "add", "--quiet", "-b", "side", folder);
  const session = await startIsolated(runtime, folder, "one");
  const output = await runCommand(
    session,
    `cat a.txt; echo three > a.txt; ${commit}; git log --oneline | wc -l; git fsck`,
  );
  expect(output).toContain("two");
  expect(output).toContain(kind === "shallow" ? "2" : "3");
  expect(output).not.toContain("missing");
});

test("submodules of a copy are empty, and the session says so", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const inner = new PersonRepository(join(testHome.folder, "inner"));
  const repository = new PersonRepository(join(testHome.folder, "project"));
  repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.folder, "module");
  repository.git("commit", "--quiet", "-m", "module");
  await using session = await startIsolated(runtime, repository.folder, "one");
  expect(statusMessages(await readJournal(runtime, "one"))).toContain("submodules of the copy are empty");
  expect(await runCommand(session, "git status --short; ls module")).not.toMatch(/a\.txt|module/);
});

test("setup commands of a trusted file run in the copy before the agent starts; others do not, and the session says so", async () => {
  await using testHome = new TestHome();
  let isTrusted = true;
  const runtime = await testHome.open({ trustsFile: () => isTrusted });
  const repository = new PersonRepository(join(testHome.folder, "project"), { ".gitignore": "made\n" });
  repository.write({ "fairlead.yaml": 'setup:\n  - echo "$FAIRLEAD_SECRET" > made\n  - pwd >> made\n' });
  const session = await startIsolated(runtime, repository.folder, "one");
  const { workspace } = await runtime.summary("one");
  expect(await runCommand(session, "cat made")).toContain(`["\\n${workspace}`);
  isTrusted = false;
  await startIsolated(runtime, repository.folder, "two");
  expect(existsSync(join((await runtime.summary("two")).workspace, "made"))).toBe(false);
  expect(statusMessages(await readJournal(runtime, "two"))).toContain("setup commands did not run");
});

test("a setup command that fails fails the start with its output, and leaves nothing", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open({ trustsFile: () => true });
  const repository = new PersonRepository(join(testHome.folder, "project"));
  repository.write({ "fairlead.yaml": "setup:\n  - echo no such package >&2; exit 3\n" });
  const start = runtime.start({
    agent: "shell",
    workspace: repository.folder,
    session: "one",
    name: "n",
    isolated: true,
  });
  await expect(start).rejects.toThrow(/It ended with 3\.\nno such package/);
  expect(listCopies(testHome)).toEqual([]);
  expect(readdirSync(testHome.home.discardedFolder)).toEqual([]);
  expect(readdirSync(testHome.home.startsFolder)).toEqual([]);
  expect(listReferences(repository)).toBe("refs/heads/main");
  writeFileSync(join(repository.folder, "fairlead.yaml"), "setup: []\n");
  const again = await runtime.start({
    agent: "shell",
    workspace: repository.folder,
    session: "one",
    name: "n",
    isolated: true,
  });
  expect(again.isFinished).toBe(false);
});

test("two isolated sessions that start at once have copies of their own", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const sessions = await Promise.all(["one", "two"].map((id) => startIsolated(runtime, repository.folder, id)));
  await Promise.all(sessions.map((session) => runCommand(session, `echo work ${session.id} > a.txt && ${commit}`)));
  for (const session of sessions) {
    expect(await runCommand(session, "cat a.txt; git log --oneline | wc -l")).toMatch(new RegExp(`${session.id}.*2`));
  }
  expect(listReferences(repository)).toBe("refs/fairlead-bases/one\nrefs/fairlead-bases/two\nrefs/heads/main");
});
