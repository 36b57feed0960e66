import { existsSync } from "node:fs";
import { join } from "node:path";
import { Plan } from "@fairlead/api";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { prepareRun } from "./prepare-run.ts";

const plan = (forge: object) => Plan.parse({ goal: "g", tasks: [{ id: "a", brief: "b" }], reviewer: {}, forge });

test("refuses what would end the run after the work, and leaves nothing", async () => {
  await using testHome = new ServiceTestHome();
  const { home, folder } = testHome;
  home.create();
  const person = new PersonRepository(join(folder, "project"));
  const workspace = person.folder;
  const prepare = (forge: object, environment: Record<string, string> = {}, at = workspace) =>
    prepareRun({ home, environment: { ...process.env, ...environment } }, "run-1", {
      plan: plan(forge),
      workspace: at,
    });
  const { GITHUB_TOKEN: _, ...inherited } = process.env;
  const withoutToken = (forge: object) =>
    prepareRun({ home, environment: inherited }, "run-1", { plan: plan(forge), workspace });

  await expect(prepare({ kind: "git" })).rejects.toThrow("has no remote origin");
  person.git("remote", "add", "origin", "https://forge.example/ada/project.git");
  await expect(withoutToken({ kind: "github" })).rejects.toThrow("GITHUB_TOKEN is not set");
  await expect(prepare({ kind: "git" }, {}, folder)).rejects.toMatchObject({ code: "not-supported" });
  expect(existsSync(home.runRepository("run-1"))).toBe(false);

  const { base } = await prepare({ kind: "github" }, { GITHUB_TOKEN: "secret" });
  expect(base).toBe(person.git("rev-parse", "HEAD"));
  expect(await prepare({ kind: "git" })).toEqual({ base });
  expect(existsSync(home.runRepository("run-1"))).toBe(true);
});
