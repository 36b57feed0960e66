import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Plan } from "@fairlead/api";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { findWorkspaceProblems } from "./find-workspace-problems.ts";

const { GITHUB_TOKEN: _, ...environment } = process.env;

test("says what a folder lacks for a run, and what to type", async () => {
  await using testHome = new ServiceTestHome();
  const { home, folder } = testHome;
  const find = (workspace: string, forge: object = {}, token?: string) =>
    findWorkspaceProblems(
      { home, environment: { ...environment, ...(token !== undefined && { GITHUB_TOKEN: token }) } },
      {
        plan: Plan.parse({
          goal: "g",
          tasks: [{ id: "a", brief: "b" }],
          reviewer: {},
          forge: { kind: "git", ...forge },
        }),
        workspace,
      },
    );
  const empty = join(folder, "empty");
  expect(await find(empty)).toEqual([`There is no folder ${empty}.`]);
  mkdirSync(empty);
  expect(await find(empty)).toEqual([`${empty} is not in a repository of git. Make one with: git init`]);
  execFileSync("git", ["init", "--quiet", empty]);
  expect(await find(empty)).toEqual([`${empty} has no commit to start from. Make a first commit: git commit`]);

  const person = new PersonRepository(join(folder, "project"));
  const top = person.folder;
  expect(await find(top)).toEqual([`${top} has no remote origin. Add it with: git remote add origin ADDRESS`]);
  const remote = join(folder, "some", "remote.git");
  person.git("remote", "add", "origin", remote);
  expect(await find(top)).toEqual([`There is no repository ${remote}. Make it with: git init --bare ${remote}`]);
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  expect(await find(top)).toEqual([]);
  expect((await find(top, { kind: "github" }, "secret"))[0]).toContain(
    "which is not on a forge. Set forge.kind to git",
  );
  person.git("remote", "set-url", "origin", "https://forge.example/ada/project.git");
  expect((await find(top, { kind: "github" }))[0]).toContain("GITHUB_TOKEN is not set");
  expect(await find(top, { kind: "github" }, "secret")).toEqual([]);
});
