import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fairlead } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

/** A message with which the agent runs a command. */
const running = (command: string): string => withScript("Work.", [{ tools: [{ name: "run", input: { command } }] }]);

/** Starts a session in a folder, in which the agent runs a command, and waits until the turn has ended. */
async function startIn(fairlead: Fairlead, workspace: string, command: string, isolated = false): Promise<string> {
  const options = isolated ? { isolated } : {};
  const { session } = await fairlead.start({ agent: "scripted", workspace, mode: "full-auto", ...options });
  await runTurn(fairlead, session, command);
  return session;
}

async function runTurn(fairlead: Fairlead, session: string, command: string): Promise<void> {
  const { last } = await fairlead.session(session);
  await fairlead.send(session, running(command));
  for await (const one of fairlead.events(session, { after: last, follow: true }))
    if ("body" in one && one.body.type === "turn.ended") break;
}

/** The lines that a patch adds, in the order of the files. */
const addedLines = (patch: string): string[] => (patch.match(/^\+[^+].*/gm) ?? []).map((line) => line.slice(1));

test("since the commit, only what is not committed is shown; since the start, all of it", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const start = repository.git("rev-parse", "HEAD");
  const session = await startIn(fairlead, repository.folder, "echo two > b.txt");
  const head = repository.commit({ "c.txt": "three\n" });
  await runTurn(fairlead, session, "echo four > d.txt");

  const sinceCommit = await fairlead.diff(session, { since: "commit" });
  expect(sinceCommit).toMatchObject({ base: head, truncated: false });
  expect(addedLines(sinceCommit.patch)).toEqual(["four"]);
  const sinceStart = await fairlead.diff(session, { since: "start" });
  expect(sinceStart.base).toBe(start);
  expect(addedLines(sinceStart.patch)).toEqual(["two", "three", "four"]);
  expect(await fairlead.diff(session)).toEqual(sinceStart);
  await expect(fairlead.diff(session, { turn: 1, since: "commit" })).rejects.toMatchObject({ code: "invalid-request" });
  await expect(fairlead.diff(session, { since: "yesterday" as "start" })).rejects.toMatchObject({
    code: "invalid-request",
  });

  await fairlead.stop(session);
  repository.write({ "e.txt": "five\n" });
  expect(addedLines((await fairlead.diff(session, { since: "commit" })).patch)).toEqual(["four", "five"]);
});

test("a folder without a repository has changes since the start, and none since a commit", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const workspace = join(testHome.folder, "plain");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "old.txt"), "before\n");
  const session = await startIn(fairlead, workspace, "echo after > new.txt; echo more >> old.txt");
  const refused = { code: "conflict", message: expect.stringContaining(`${workspace} is not in a git repository`) };
  for (const end of [false, true]) {
    if (end) await fairlead.stop(session);
    const { base, patch } = await fairlead.diff(session);
    expect(base).toBeNull();
    expect(addedLines(patch)).toEqual(["after", "more"]);
    await expect(fairlead.diff(session, { since: "commit" })).rejects.toMatchObject(refused);
  }
  // Without its comparisons, nothing is known of the folder.
  rmSync(testHome.home.filesFolder(session), { recursive: true });
  await expect(fairlead.diff(session)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining(`fairlead files ${session}`),
  });
});

test("a repository without a commit has all files since the commit, and only the new ones since the start", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "empty"), {});
  repository.write({ "old.txt": "before\n", ".gitignore": "ignored\n", ignored: "no\n" });
  const session = await startIn(fairlead, repository.folder, "echo after > new.txt");
  const sinceCommit = await fairlead.diff(session, { since: "commit" });
  expect(sinceCommit.base).toBeNull();
  expect(addedLines(sinceCommit.patch)).toEqual(["ignored", "after", "before"]);
  expect(addedLines((await fairlead.diff(session)).patch)).toEqual(["after"]);
});

test("an isolated copy is compared with its own commit, and said to be gone once it is removed", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const repository = new PersonRepository(join(testHome.folder, "project"));
  const base = repository.git("rev-parse", "HEAD");
  const commit = "git add --all && git -c user.name=A -c user.email=a@b commit --quiet --message=One";
  const command = `echo two > b.txt && ${commit} && echo three > c.txt`;
  const session = await startIn(fairlead, repository.folder, command, true);
  repository.commit({ "theirs.txt": "theirs\n" });
  const { workspace } = await fairlead.session(session);
  expect(workspace).not.toBe(repository.folder);
  await fairlead.stop(session);
  const sinceCommit = await fairlead.diff(session, { since: "commit" });
  expect(addedLines(sinceCommit.patch)).toEqual(["three"]);
  expect([base, repository.git("rev-parse", "HEAD")]).not.toContain(sinceCommit.base);
  expect(addedLines((await fairlead.diff(session)).patch)).toEqual(["two", "three"]);
  rmSync(workspace, { recursive: true });
  await expect(fairlead.diff(session, { since: "commit" })).rejects.toMatchObject({
    code: "conflict",
    message: `The workspace ${workspace} no longer exists.`,
  });
});
