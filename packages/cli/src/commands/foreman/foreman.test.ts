import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunCheck, RunEvent, RunView } from "@fairlead/api";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { writeEndedRun } from "@fairlead/testing/foreman/write-ended-run.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { expect, test, vi } from "vitest";

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const plan = `goal: Greet
tasks:
  - id: greeting
    brief: Say hello.
builder: { agent: scripted }
reviewer: { agent: scripted }
forge: { kind: git }
`;

test("a plan is checked and refused before anything starts", async () => {
  await using cli = new TestCli();
  const file = join(cli.workspace, "foreman.yaml");
  writeFileSync(file, plan);
  const folder = (await cli.run(["foreman", "check", "foreman.yaml"])).out;
  expect(folder).toContain("is not in a repository of git. Make one with: git init");
  const remote = join(cli.workspace, "remote.git");
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  new PersonRepository(cli.workspace).git("remote", "add", "origin", remote);
  const checked = await cli.run(["foreman", "check", "foreman.yaml"]);
  expect(checked).toMatchObject({ code: 2, err: "" });
  expect(checked.out).toMatch(/^builder of greeting +scripted +Fairlead$/m);
  const problem = "There is no second vendor: Fairlead makes both the builder scripted and the reviewer scripted.";
  expect(checked.out).toContain(problem);
  const { out } = await cli.run(["foreman", "check", "foreman.yaml", "--json"]);
  expect((JSON.parse(out) as RunCheck).problems).toEqual([problem]);

  expect(await cli.run(["foreman", "run", "foreman.yaml"])).toMatchObject({
    code: 2,
    err: expect.stringContaining(problem),
  });
  expect(await cli.json("foreman", "ls")).toEqual([]);
  expect(await cli.json("ls", "--all")).toEqual([]);

  writeFileSync(file, plan.replace("forge:", "forgery:"));
  const broken = await cli.run(["foreman", "check", "foreman.yaml"]);
  expect(broken).toMatchObject({ code: 2, out: "", err: expect.stringContaining('Line 7: There is no key "forgery"') });
  const none = await cli.run(["foreman", "check", "none.yaml"]);
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining("There is no file") });
  expect(none.err).toContain('fairlead foreman plan "GOAL"');
});

test("runs are listed, shown, explained and not canceled after their end", async () => {
  await using cli = new TestCli();
  expect((await cli.run(["foreman", "ls"])).out).toBe("No runs. Start one with: fairlead foreman run FILE\n");
  expect(existsSync(join(cli.home, "foreman"))).toBe(false);
  for (const run of ["run-one", "run-two"]) await writeEndedRun(cli.home, run);

  expect((await cli.json<RunView>("foreman", "ls")).map(({ run }) => run)).toEqual(["run-two", "run-one"]);
  expect((await cli.run(["foreman", "ls"])).out).toMatch(/^run-two +done +\d+ s +1 +\$1\.00 +Greet$/m);
  const limited = await cli.run(["foreman", "ls", "-n", "1"]);
  expect(limited.out).toContain("List all with: fairlead foreman ls --all");
  expect(limited.out).not.toContain("run-one");

  const shown = await cli.run(["foreman", "show", "run-o"]);
  expect(shown.out).toContain("done: The request was made.");
  expect(shown.out).toContain("Request: file:///request");
  expect(await cli.json("foreman", "show", "run-one")).toMatchObject([{ run: "run-one", outcome: "done" }]);
  const followed = await cli.run(["foreman", "show", "run-one", "-f"]);
  expect(followed).toMatchObject({ code: 0 });
  expect(followed.out).toMatch(/^\d\d:\d\d:\d\d {2}ann approved it\.$/m);
  const events = await cli.json<RunEvent>("foreman", "show", "run-one", "-f");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));

  const explained = await cli.run(["foreman", "why", "run-one"]);
  expect(explained.out).toContain("Exit codes decide.");
  expect(explained.out).toContain("It is the tree that was reviewed and approved.");
  expect(await cli.json("foreman", "why", "run-one")).toHaveLength(events.length);

  expect(await cli.run(["foreman", "cancel", "run-one"])).toMatchObject({
    code: 0,
    out: "run-one had already ended: done.\n",
  });
  expect(await cli.run(["approve", "run-one"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("run-one has no open decision"),
  });
  for (const action of ["show", "why", "cancel"])
    expect(await cli.run(["foreman", action, "run-none"])).toMatchObject({
      code: 5,
      err: expect.stringContaining('There is no run "run-none"'),
    });
  expect(await cli.run(["foreman", "show", "run-"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("could be several runs: run-two, run-one"),
  });
});

test("words that an action needs or does not take are reported", async () => {
  await using cli = new TestCli();
  for (const action of ["check", "plan", "run", "show", "why", "cancel"])
    expect(await cli.run(["foreman", action])).toMatchObject({ code: 2, err: expect.stringContaining("is missing") });
  expect((await cli.run(["foreman", "ls", "run-1"])).code).toBe(2);
  expect((await cli.run(["foreman", "start"])).code).toBe(2);
});

const submit = {
  tools: [
    {
      name: "use",
      input: {
        tool: "submit_plan",
        input: { goal: "Greet", acceptance: ["npm test"], tasks: [{ id: "a", brief: "Say hello." }] },
      },
    },
  ],
};
const cyclic = structuredClone(submit);
cyclic.tools[0]!.input.input.tasks = [{ id: "a", brief: "b", after: ["a"] }] as never;
const script = (...steps: readonly object[]): string => `SCRIPT:${JSON.stringify(steps)}`;

test("an agent writes a plan for a person to edit", async () => {
  await using cli = new TestCli();
  const written = await cli.run(["foreman", "plan", script(cyclic, submit, { text: "Done." }), "--agent", "scripted"]);
  expect(written).toMatchObject({ code: 0, err: "" });
  const file = join(cli.workspace, "foreman.yaml");
  expect(written.out).toContain("then check it with: fairlead foreman check foreman.yaml");
  const text = readFileSync(file, "utf8");
  expect(text).toContain("# An agent of another vendor than every builder.\nreviewer:");
  expect(text).toContain("acceptance:\n  - npm test\n");
  expect((await cli.run(["foreman", "check", "foreman.yaml", "--json"])).out).toContain('"role":"builder of a"');
  const again = await cli.run(["foreman", "plan", script(submit), "--agent", "scripted"]);
  expect(again).toMatchObject({
    code: 2,
    err: expect.stringContaining("exists already. The plan was printed instead."),
  });
  expect(again.out).toContain("acceptance:\n  - npm test\n");
  expect(readFileSync(file, "utf8")).toBe(text);
  const printed = await cli.run(["foreman", "plan", script(submit), "--agent", "scripted", "-o", "-", "--json"]);
  expect(JSON.parse(printed.out)).toMatchObject({ goal: "Greet", tasks: [{ id: "a" }] });
});

test("an agent that submits no plan is asked once more, and then reported", async () => {
  await using cli = new TestCli();
  const missing = await cli.run(["foreman", "plan", script({ text: "It is easy." }), "--agent", "scripted"]);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("The agent has not submitted a plan.") });
  const [view] = await cli.json<{ session: string; turns: number }>("ls", "--all");
  expect(view?.turns).toBe(2);
  expect(existsSync(join(cli.workspace, "foreman.yaml"))).toBe(false);
});
