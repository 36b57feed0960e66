import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it } from "vitest";

const script = (...commands: readonly string[]): string =>
  `Run. SCRIPT:${JSON.stringify(commands.map((command) => ({ tools: [{ name: "run", input: { command } }] })))}`;

it("a call that a rule asks about waits in full-auto, and an answer from now on is a rule of the next session", async () => {
  await using cli = new TestCli();
  const message = script("frob lint", "frob lint --fix", "frob lint; git push");
  const started = await cli.run(["run", "scripted", "--mode", "full-auto", "--detach", "--name", "one", message]);
  expect(started.code).toBe(0);
  await cli.run(["wait", "one", "--for", "waiting", "--timeout", "60s"]);
  const { out: shown } = await cli.run(["approve", "one", "--show"]);
  expect(shown).toContain(
    "· unvetted: `frob lint` is not on the list of vetted programs; rule 8 of the default policy.",
  );
  expect(shown).toMatch(/^Always allow `frob lint …` with: fairlead approve \w+ \w+ --for rule$/m);
  const { out } = await cli.run(["approve", "one", "--for", "rule"]);
  expect(out).toContain("Also allowed from now on: `frob lint …`");
  // The second runs unasked, and the third waits: it also pushes.
  await cli.run(["wait", "one", "--for", "waiting", "--timeout", "60s"]);
  const { out: third } = await cli.run(["approve", "one", "--show"]);
  expect(third).toContain("·   runs: git push");
  expect((await cli.run(["logs", "one"])).out).toContain(
    "allowed by the policy (grant 1 of your answers in this session)",
  );
  expect(readFileSync(join(cli.home, "policy.yaml"), "utf8")).toContain("command: frob lint");
  await cli.run(["stop", "one"]);
  const second = await cli.run(["run", "scripted", "--mode", "full-auto", script("frob lint x")]);
  expect(second.out).toContain("allowed by the policy (grant 1 of policy.yaml)");
}, 120_000);

it("what cannot be allowed in general is refused, and stays open", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--detach", "--name", "one", script("rm -rf src")]);
  await cli.run(["wait", "one", "--for", "waiting", "--timeout", "60s"]);
  const refused = await cli.run(["approve", "one", "--for", "session"]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("cannot be allowed in general") });
  const unknown = await cli.run(["approve", "one", "--option", "always"]);
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("has no such option") });
  expect((await cli.json("approve", "one", "--show")).length).toBe(1);
}, 120_000);

it("a policy file that is not valid is found before the answer, and the request stays open", async () => {
  await using cli = new TestCli();
  const file = join(cli.home, "policy.yaml");
  await cli.run(["run", "scripted", "--mode", "full-auto", "--detach", "--name", "one", script("frob lint")]);
  await cli.run(["wait", "one", "--for", "waiting", "--timeout", "60s"]);
  writeFileSync(file, "default: true\nrules: 1\n");
  const refused = await cli.run(["approve", "one", "--for", "rule"]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(`${file} is not valid`) });
  expect(refused.err).toContain("Line 2");
  expect(await cli.json("approve", "one", "--show")).toHaveLength(1);
  writeFileSync(file, "default: true\n");
  expect(await cli.run(["approve", "one", "--for", "rule"])).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toContain("command: frob lint");
}, 120_000);

it("a session may have rules of its own, a deadline, and nobody to ask", async () => {
  await using cli = new TestCli();
  writeFileSync(
    join(cli.workspace, "rules.yaml"),
    "rules:\n  - { verdict: deny, command: touch, because: is denied }\n",
  );
  const run = (...words: readonly string[]) => cli.run(["run", "scripted", "--mode", "full-auto", ...words]);
  const denied = await run("--policy", "rules.yaml", script("touch a.txt"));
  expect(denied.out).toContain("denied by the policy: `touch` is denied; rule 1 of the start request.");
  const unattended = await run("--unattended", "deny", script("git push"));
  expect(unattended.out).toContain("denied because no person was available: `git push` updates a shared ref");
  expect(unattended.err).toContain('  - { command: "git push", categories: [merge, unvetted] }');
  const late = await cli.run(["run", "scripted", "--detach", "--name", "late", "--deadline", "1s", script("git push")]);
  expect(late.code).toBe(0);
  const readLate = async (): Promise<string> => (await cli.run(["logs", "late"])).out;
  await expect.poll(readLate, { timeout: 60_000 }).toContain("timed-out by its deadline");
  const wrong = await run("--policy", "missing.yaml", script("ls"));
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("missing.yaml") });
}, 120_000);
