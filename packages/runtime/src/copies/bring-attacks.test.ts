import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { commitAll as commit, runCommand, startIsolated } from "@fairlead/testing/runtime/isolated-session.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { expect, test, vi } from "vitest";
import type * as gitSandbox from "../review/git-sandbox.ts";

// In a sandbox, a program that runs could not write what shows it.
vi.mock(import("../review/git-sandbox.ts"), async (load) => {
  const original: typeof gitSandbox = await load();
  return { ...original, findGitSandbox: () => Promise.resolve(original.noGitSandbox) };
});

/** An isolated session, and the repository that it was started in. */
async function openIsolated(testHome: TestHome, repository = new PersonRepository(join(testHome.folder, "project"))) {
  const runtime = await testHome.open();
  const session = await startIsolated(runtime, repository.folder, "one");
  return { runtime, session, repository, folder: (await runtime.summary("one")).workspace };
}

test("nothing that the agent configured in the clone runs, nor a hook of the person's repository", async () => {
  await using testHome = new TestHome();
  const { runtime, session, repository, folder } = await openIsolated(testHome);
  await runCommand(session, `echo two > b.txt; ${commit}`);
  const marker = join(testHome.folder, "ran");
  const program = join(testHome.folder, "program");
  writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(program, 0o755);
  const hooks = ["post-checkout", "reference-transaction", "pre-push", "post-merge", "pre-receive", "post-update"];
  const configure = (gitFolder: string): void => {
    mkdirSync(join(gitFolder, "hooks"), { recursive: true });
    for (const hook of hooks)
      writeFileSync(join(gitFolder, "hooks", hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const config = (key: string, value: string): void =>
      void execFileSync("git", ["config", "--file", join(gitFolder, "config"), key, value]);
    for (const key of [
      "core.fsmonitor",
      "uploadpack.packObjectsHook",
      "core.sshCommand",
      "core.alternateRefsCommand",
      "core.pager",
      "diff.external",
    ])
      config(key, program);
    config("filter.evil.clean", program);
    config("filter.evil.smudge", program);
  };
  configure(join(folder, ".git"));
  writeFileSync(join(folder, ".gitattributes"), "* filter=evil diff=evil\n");
  configure(join(repository.folder, ".git"));
  await expect(runtime.copies.bring("one")).resolves.toMatchObject({ commits: 1 });
  expect(existsSync(marker)).toBe(false);
  await runCommand(session, `echo three > c.txt; ${commit}`);
  // Even a repository of the person that an agent has configured makes git run nothing.
  repository.git("config", "protocol.ext.allow", "always");
  repository.git("config", `url.ext::sh -c touch% ${marker}% .insteadOf`, "/");
  await expect(runtime.copies.bring("one")).rejects.toThrow("transport 'ext' not allowed");
  expect(existsSync(marker)).toBe(false);
  expect(execFileSync("sh", ["-c", "git status || true; ls"], { cwd: folder }).length).toBeGreaterThan(0);
  expect(existsSync(marker)).toBe(true); // control: plain git runs it
});

test.each([
  [
    "links to objects",
    (git: string, other: string) => [
      `cd ${git}/objects`,
      `for name in ${other}/objects/??; do test -e $(basename $name) || ln -s $name; done`,
      `for name in ${other}/objects/??/*; do ln -sf $name $(basename $(dirname $name))/ 2>/dev/null; done`,
    ],
  ],
  ["alternates", (git: string, other: string) => [`echo ${other}/objects >> ${git}/objects/info/alternates`]],
])("a repository that the agent cannot read is not brought to it: by %s", async (_, lead) => {
  await using testHome = new TestHome();
  const { runtime, session, repository, folder } = await openIsolated(testHome);
  const secret = new PersonRepository(join(testHome.folder, "secret"), { "password.txt": "hunter2" });
  const [git, other] = [join(folder, ".git"), join(secret.folder, ".git")];
  const commitId = secret.git("rev-parse", "main");
  await runCommand(session, `echo two > b.txt; ${commit}`);
  const steps = [...lead(git, other), `echo ${commitId} > ${git}/refs/heads/fairlead/one`];
  execFileSync("sh", ["-c", steps.join("\n")]); // as an agent without a sandbox
  expect(execFileSync("git", ["show", `${commitId}:password.txt`], { cwd: folder }).toString()).toBe("hunter2"); // control
  await expect(runtime.copies.bring("one")).rejects.toThrow("cannot be brought");
  expect(() => repository.git("cat-file", "-e", commitId)).toThrow();
});
