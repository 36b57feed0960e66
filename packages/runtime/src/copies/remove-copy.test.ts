import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { commitAll as commit, runCommand, startIsolated } from "@fairlead/testing/runtime/isolated-session.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { expect, test, vi } from "vitest";
import type { Runtime } from "../runtime.ts";
import { readCopyFacts, writeCopyFacts } from "./copy-facts.ts";

/** Starts an isolated session that runs a command and ends. Returns the folder of the clone. */
async function leaveCopy(runtime: Runtime, workspace: string, session: string, command: string): Promise<string> {
  const started = await startIsolated(runtime, workspace, session);
  await runCommand(started, command);
  await started.end();
  await eventsUntil(started, "session.ended");
  return (await runtime.summary(session)).workspace;
}

const listReferences = (repository: PersonRepository): string => repository.git("for-each-ref", "--format=%(refname)");

test("the copy of a session without work is removed with the session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  await leaveCopy(runtime, repository.folder, "one", "true");
  expect(listReferences(repository)).toContain("refs/fairlead-bases/one"); // control
  await runtime.forget("one");
  expect(readdirSync(testHome.home.copiesFolder)).toEqual([]);
  expect(listReferences(repository)).toBe("refs/heads/main");
});

test.each([
  ["an uncommitted file", "echo new > new.txt"],
  ["an uncommitted file", "echo changed > a.txt"],
  ["an uncommitted file", "echo changed > a.txt; git update-index --assume-unchanged a.txt"],
  ["a commit", `echo new > new.txt && ${commit}`],
  ["a commit", `git checkout -q -b other && echo new > new.txt && ${commit} && git checkout -q fairlead/one`],
  ["a commit", `git checkout -q --detach && echo new > new.txt && ${commit}`],
  ["commits", `echo changed > a.txt && git -c user.name=A -c user.email=a@example.com stash`],
  ["an uncommitted file", "echo '*' > .git/info/exclude; echo new > new.txt"],
  ["a worktree", "echo .worktrees > .git/info/exclude; git worktree add -q --detach .worktrees/a"],
  ["files beside it", "git worktree add -q --detach ../other; rm -r .git/worktrees"],
  ["a submodule", "mkdir -p .git/modules/sub"],
  ["is no longer a repository", "rm -rf .git"],
])("a copy with %s is never removed: %s", async (work, command) => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const started = { agent: "shell", workspace: repository.folder, session: "one", isolated: true } as const;
  // Without a sandbox the agent can also remove its git folder.
  const session = await runtime.start({ ...started, sandbox: { kind: "none" } });
  await runCommand(session, command);
  await session.end();
  await eventsUntil(session, "session.ended");
  const { workspace: folder } = await runtime.summary("one");
  await expect(runtime.forget("one")).rejects.toThrow(work);
  expect(existsSync(folder)).toBe(true);
  expect((await runtime.summary("one")).state).toBe("ended");
  rmSync(folder, { recursive: true });
  await runtime.forget("one");
  expect(listReferences(repository)).toBe("refs/heads/main");
});

test("a copy whose brought commits the person no longer has is never removed", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const folder = await leaveCopy(runtime, repository.folder, "one", `echo new > new.txt && ${commit}`);
  await runtime.copies.bring("one");
  repository.git("branch", "-D", "fairlead/one");
  await expect(runtime.forget("one")).rejects.toThrow("a commit that you do not have");
  expect(existsSync(folder)).toBe(true);
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1, newCommits: 1 });
  await runtime.forget("one");
  expect(existsSync(folder)).toBe(false);
});

test("a copy whose repository was cloned again is kept, and the message says why", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const folder = await leaveCopy(runtime, repository.folder, "one", "true");
  rmSync(repository.folder, { recursive: true });
  const other = new PersonRepository(repository.folder, { "other.txt": "another history" });
  expect(other.git("status", "--short")).toBe("");
  await expect(runtime.forget("one")).rejects.toMatchObject({ code: "conflict" });
  await expect(runtime.forget("one")).rejects.toThrow("no longer has the commit");
  expect(existsSync(folder)).toBe(true);
});

test.each(["ended", "in another folder"])("a copy that another session has stays: one that is %s", async (kind) => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"), { "sub/a.txt": "one" });
  const folder = await leaveCopy(runtime, repository.folder, "one", "true");
  // One that has ended continues in the same folder. One in another folder was started there by a person.
  const workspace = kind === "ended" ? folder : join(folder, "sub");
  const other = await runtime.start({ agent: "shell", workspace, session: "two" });
  if (kind === "ended") {
    await other.end();
    await eventsUntil(other, "session.ended");
  }
  await runtime.forget("one");
  expect(existsSync(folder)).toBe(true);
  if (kind !== "ended") return;
  await runtime.forget("two");
  expect(readdirSync(testHome.home.copiesFolder)).toEqual([]);
});

test("a copy with more references than git can compare is never removed", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const commits = Array.from({ length: 1100 }, (_, at) => {
    return `commit refs/heads/main\ncommitter A <a@example.com> ${at} +0000\ndata 0\n${at === 0 ? "from refs/heads/main^0\n" : ""}`;
  });
  execFileSync("git", ["fast-import", "--quiet"], { cwd: repository.folder, input: commits.join("\n") });
  const references = "git rev-list HEAD | sed 's|.*|create refs/a/& &|' | git update-ref --stdin";
  const work = `git checkout -q -b z && echo new > new.txt && ${commit} && git checkout -q fairlead/one`;
  const folder = await leaveCopy(runtime, repository.folder, "one", `${references}; ${work}`);
  await expect(runtime.forget("one")).rejects.toThrow("commits that you do not have");
  expect(existsSync(folder)).toBe(true);
});

test("a copy whose source is gone is kept, and the message says why", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const folder = await leaveCopy(runtime, repository.folder, "one", "true");
  rmSync(repository.folder, { recursive: true });
  await expect(runtime.forget("one")).rejects.toThrow("is gone or was moved");
  rmSync(folder, { recursive: true });
  await runtime.forget("one");
});

test("nothing is left of an isolated start that was killed while its setup ran", async () => {
  await using testHome = new TestHome();
  const { home } = testHome;
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const marker = join(testHome.folder, "running");
  repository.write({ "fairlead.yaml": `setup:\n  - touch ${marker}; exec sleep 5\n` });
  const program = fileURLToPath(new URL("../../../testing/src/runtime/isolated-start.ts", import.meta.url));
  const child = spawn(process.execPath, [program, home.folder, repository.folder, "one"], { stdio: "ignore" });
  await vi.waitUntil(() => existsSync(marker), 30_000);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(existsSync(home.copyFolder("one"))).toBe(true); // control
  expect(listReferences(repository)).toContain("refs/fairlead-bases/one"); // control
  const runtime = await testHome.open();
  await runtime.sweepFailedStarts();
  expect(existsSync(home.copyFolder("one"))).toBe(false);
  expect(readdirSync(home.discardedFolder)).toEqual([]);
  expect(listReferences(repository)).toBe("refs/heads/main");
});

test("the sweep removes a copy that no session has, unless it has work or its session exists", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const folder = await leaveCopy(runtime, repository.folder, "one", "true");
  await runtime.sweepFailedStarts();
  expect(existsSync(folder)).toBe(true);
  // A crash after the session was removed and before its copy was.
  const facts = readCopyFacts(testHome.home, "one");
  rmSync(testHome.home.copyFolder("one"), { recursive: true });
  await runtime.forget("one");
  mkdirSync(join(testHome.home.copiesFolder, "one"), { recursive: true });
  repository.git("clone", "--quiet", "--shared", repository.folder, folder);
  writeCopyFacts(testHome.home, { ...facts!, folder: realpathSync(folder) });
  writeFileSync(join(folder, "work.txt"), "work");
  await runtime.sweepFailedStarts();
  expect(existsSync(folder)).toBe(true);
  rmSync(join(folder, "work.txt"));
  // No command runs in a folder that does not exist, so that the removal of these copies fails.
  for (let index = 0; index < 8; index += 1)
    writeCopyFacts(testHome.home, {
      ...facts!,
      session: `failing-${index}`,
      top: "/nonexistent",
      folder: "/nonexistent",
    });
  await runtime.sweepFailedStarts();
  expect(existsSync(folder)).toBe(false);
});
