import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { commitAll as commit, runCommand, startIsolated } from "@fairlead/testing/runtime/isolated-session.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { expect, test } from "vitest";

/** An isolated session, and the repository that it was started in. */
async function openIsolated(testHome: TestHome, repository = new PersonRepository(join(testHome.folder, "project"))) {
  const runtime = await testHome.open();
  const session = await startIsolated(runtime, repository.folder, "one");
  return { runtime, session, repository, folder: (await runtime.summary("one")).workspace };
}

test("brings the commits as a branch, merges nothing, and names files that could run something", async () => {
  await using testHome = new TestHome();
  const { runtime, session, repository } = await openIsolated(testHome);
  const main = repository.git("rev-parse", "main");
  await runCommand(
    session,
    `echo two > b.txt; echo "{}" > package.json; touch tool; chmod +x tool; ${commit}; echo x > left.txt`,
  );
  const brought = await runtime.copies.bring("one");
  expect(brought).toMatchObject({
    branch: "fairlead/one",
    base: main,
    commits: 1,
    newCommits: 1,
    files: 3,
    otherCommits: 0,
  });
  expect(brought.runnable.map(({ path }) => path)).toEqual(["package.json", "tool"]);
  expect(brought.uncommitted).toEqual(["left.txt"]);
  expect(repository.git("log", "--format=%s", "fairlead/one")).toBe("work\nchange");
  expect(repository.git("rev-parse", "main")).toBe(main);
  expect(repository.git("status", "--short", "--branch")).toBe("## main");
  // Again, and with more.
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1, newCommits: 0 });
  await runCommand(session, commit);
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 2, newCommits: 1, uncommitted: [] });
  expect(repository.git("show", "fairlead/one:left.txt")).toBe("x");
  await session.end();
  await eventsUntil(session, "session.ended");
  await runtime.forget("one");
  expect(existsSync(testHome.home.copyFolder("one"))).toBe(false);
  expect(repository.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/fairlead/one\nrefs/heads/main");
  expect(repository.git("fsck")).toBe("");
});

test("a copy without a commit brings nothing", async () => {
  await using testHome = new TestHome();
  const { runtime, repository } = await openIsolated(testHome);
  expect(await runtime.copies.bring("one")).toMatchObject({ commit: null, commits: 0, files: 0 });
  expect(repository.git("branch", "--list", "fairlead/*")).toBe("");
});

test("a branch of the same name with other commits is not touched", async () => {
  await using testHome = new TestHome();
  const { runtime, session, repository } = await openIsolated(testHome);
  await runCommand(session, `echo two > b.txt; ${commit}`);
  repository.git("switch", "--quiet", "-c", "fairlead/one");
  const mine = repository.commit({ "mine.txt": "mine" });
  await expect(runtime.copies.bring("one")).rejects.toThrow("is checked out");
  repository.git("switch", "--quiet", "main");
  await expect(runtime.copies.bring("one")).rejects.toThrow("has commits that the copy does not have");
  expect(repository.git("rev-parse", "fairlead/one")).toBe(mine);
  repository.git("branch", "-m", "fairlead/one", "mine");
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1, newCommits: 1 });
});

test("work on another branch of the copy is brought if it continues the copy's branch, and else named", async () => {
  await using testHome = new TestHome();
  const { runtime, session, repository } = await openIsolated(testHome);
  await runCommand(session, `git checkout -q -b feature; echo two > b.txt; ${commit}`);
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1, otherCommits: 0 });
  await runCommand(session, `git checkout -q fairlead/one; echo own > own.txt; ${commit}; git checkout -q feature`);
  await expect(runtime.copies.bring("one")).rejects.toThrow("has commits that the copy does not have");
  repository.git("branch", "-m", "fairlead/one", "feature");
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1 });
  expect(repository.git("show", "fairlead/one:own.txt")).toBe("own");
});

test("a shallow repository gets the branch", async () => {
  await using testHome = new TestHome();
  const source = new PersonRepository(join(testHome.folder, "source"));
  source.commit({ "a.txt": "two\n" });
  execFileSync("git", ["clone", "-q", "--depth=1", `file://${source.folder}`, join(testHome.folder, "project")]);
  const repository = new PersonRepository(join(testHome.folder, "project"), {});
  const { runtime, session } = await openIsolated(testHome, repository);
  await runCommand(session, `echo two > b.txt; ${commit}`);
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1 });
  expect(repository.git("log", "--format=%s", "fairlead/one")).toBe("work\nchange");
});

test("a repository that was moved is named, and a session in a person's folder has nothing to bring", async () => {
  await using testHome = new TestHome();
  const { runtime, session, repository } = await openIsolated(testHome);
  await runCommand(session, `echo two > b.txt; ${commit}`);
  renameSync(repository.folder, `${repository.folder}-moved`);
  await expect(runtime.copies.bring("one")).rejects.toThrow(`${repository.folder} is gone or was moved`);
  renameSync(`${repository.folder}-moved`, repository.folder);
  expect(await runtime.copies.bring("one")).toMatchObject({ commits: 1 });
  await runtime.start({ agent: "shell", workspace: repository.folder, session: "two" });
  await expect(runtime.copies.bring("two")).rejects.toThrow("does not work in an isolated copy");
});
