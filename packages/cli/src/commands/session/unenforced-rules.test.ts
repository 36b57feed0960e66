import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it } from "vitest";

const warning = "never asks before it acts, so no rule of the start request is enforced.";

it("rules for an agent that cannot be held to them are a warning at the start", async () => {
  await using cli = new TestCli();
  writeFileSync(join(cli.workspace, "rules.yaml"), "rules:\n  - { verdict: deny, command: touch }\n");
  writeFileSync(join(cli.workspace, "loose.yaml"), "rules:\n  - { verdict: allow, command: frob }\n");
  const words = (text: string): string => text.replace(/\s+/g, " ");
  const run = async (...options: readonly string[]) => {
    const { code, out, err } = await cli.run(["run", "shell", ...options, "echo hello"]);
    return { code, out: words(out), err: words(err) };
  };
  expect(await run("--policy", "rules.yaml")).toMatchObject({ code: 0, err: expect.stringContaining(warning) });
  expect(await run("--policy", "rules.yaml", "--detach")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\w+ $/),
    err: expect.stringContaining(warning),
  });
  const loose = await run("--policy", "loose.yaml");
  expect(loose.out + loose.err).not.toContain("enforced");
  const plain = await run();
  expect(plain.out + plain.err).not.toContain("enforced");
}, 120_000);
