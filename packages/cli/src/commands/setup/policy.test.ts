import { expect, it } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

it("shows the default policy, and what it decides about a command", async () => {
  await using cli = new TestCli();
  expect(await cli.run(["policy", "show"])).toMatchObject({ code: 0, out: expect.stringContaining("deps_add") });
  const asked = await cli.run(["policy", "test", "ls && git push"]);
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.out).toContain("ask: `git push` updates a shared ref; rule 1 of the default policy.");
  expect(asked.out).toContain('runs: git "push"');
  const allowed = await cli.run(["policy", "test", "npm test", "--json"]);
  expect(JSON.parse(allowed.out)).toMatchObject({ verdict: "allow", rule: null, commands: ['npm "test"'] });
  expect(await cli.run(["policy", "test"])).toMatchObject({ code: 2 });
}, 60_000);
