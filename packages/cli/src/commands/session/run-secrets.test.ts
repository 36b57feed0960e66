import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

it("the text of the setting env is in no file of a running daemon but one", async () => {
  await using cli = new TestCli();
  const secret = "a-secret-of-this-test";
  const words = ["run", "shell", "--set", `env.TOKEN=${secret}`, "--json", 'printf %s "$TOKEN" | wc -c'];
  const { code, out } = await cli.run(words);
  expect({ code, hasSecret: out.includes(secret) }).toEqual({ code: 0, hasSecret: false });
  expect(out).toContain(String(secret.length));
  const files = globSync("**", { cwd: cli.home, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
  expect(files.map(({ name }) => name)).toContain("daemon.log");
  expect(found.map(({ name }) => name)).toEqual(["secrets.json"]);
}, 60_000);
