import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it } from "vitest";

it("shows the rules of this folder, and what they decide about a command", async () => {
  await using cli = new TestCli();
  expect(await cli.run(["policy", "show"])).toMatchObject({ code: 0, out: expect.stringContaining("deps_add") });
  const asked = await cli.run(["policy", "test", "ls && git push"]);
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.out).toContain("ask: `git push` updates a shared ref; rule 1 of the default policy.");
  expect(asked.out).toContain("runs: git push");
  expect(asked.out).not.toContain("push push");
  expect(asked.out).toContain("In full-auto. In default and accept-edits the agent decides what it asks");
  const allowed = await cli.run(["policy", "test", "npm test", "--json"]);
  expect(JSON.parse(allowed.out)).toMatchObject({
    verdict: "allow",
    rule: { source: "the default policy", number: 9 },
    commands: ["npm test"],
  });
  expect(await cli.run(["policy", "test"])).toMatchObject({ code: 2 });
}, 60_000);

it("joins the user's policy and the workspace's, of which only the strict part counts before it is trusted", async () => {
  await using cli = new TestCli();
  mkdirSync(cli.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(cli.home, "policy.yaml"), "rules:\n  - { verdict: deny, command: npm test }\n");
  const rules = "- { verdict: allow, command: frob }\n    - { verdict: ask, command: ls }\n";
  writeFileSync(join(cli.workspace, "fairlead.yaml"), `policy:\n  rules:\n    ${rules}`);
  const test = async (command: string): Promise<string> => (await cli.run(["policy", "test", command])).out;
  expect(await test("npm test")).toContain("deny: `npm test` is denied; rule 1 of policy.yaml.");
  expect(await test("ls")).toContain("ask: `ls` is asked about; rule 2 of fairlead.yaml.");
  expect(await test("frob x")).toContain("ask:");
  const inModes = async (command: string) => {
    const { verdict, otherModes } = JSON.parse((await cli.run(["policy", "test", command, "--json"])).out);
    return [verdict, otherModes];
  };
  expect(await inModes("npm test")).toEqual(["deny", { verdict: "deny", isGated: true }]);
  expect(await inModes("make")).toEqual(["allow", { verdict: "ask", isGated: true }]);
  expect(await inModes("cat a.txt")).toEqual(["allow", { verdict: "allow", isGated: true }]);
  expect((await cli.run(["policy", "test", "make"])).out).toContain("In full-auto. In default and accept-edits: ask.");
  const { out, err } = await cli.run(["policy", "show"]);
  expect(out).toMatch(/policy\.yaml +1 +deny +command npm test/);
  expect(err).toContain("is not trusted");
  await cli.run(["trust"]);
  expect(await test("frob x")).toContain("allow:");
}, 60_000);

it("warns of a tool that is no kind, and shows a folder with everything in it", async () => {
  await using cli = new TestCli();
  mkdirSync(cli.home, { recursive: true, mode: 0o700 });
  const rules = ["{ verdict: deny, tool: bash }", "{ verdict: deny, tool: edit, path: api }"];
  writeFileSync(join(cli.home, "policy.yaml"), `rules:\n${rules.map((rule) => `  - ${rule}\n`).join("")}`);
  const { out, err } = await cli.run(["policy", "show"]);
  expect(err).toContain('Rule 1 of policy.yaml is only about tools that an agent calls "bash".');
  expect(err).toContain("run, edit, read, search, fetch, other");
  expect(err).not.toContain("Rule 2");
  expect(out).toContain("path api/**");
}, 60_000);
