import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentView, Checkpoint, SessionView, UsageView } from "@fairlead/api";
import { expect, it, vi } from "vitest";
import { TestCli, type CliResult } from "@fairlead/testing/cli/test-cli.ts";

// Each test starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const script = (...steps: readonly object[]): string => `SCRIPT:${JSON.stringify(steps)}`;
const writeStep = { tools: [{ name: "write", input: { path: "a.txt", content: "one\n" } }] };
const runStep = { tools: [{ name: "run", input: { command: "echo two" } }] };

it("answers an agent's requests from another command", async () => {
  await using cli = new TestCli();
  const run = async (...words: readonly string[]): Promise<CliResult> => await cli.run([...words]);
  spawnSync("git", ["init", "--quiet"], { cwd: cli.workspace });
  await cli.run(["run", "scripted", "--detach", "--name", "fix", script(writeStep, runStep, { text: "Over." })]);
  expect(await run("wait", "fix")).toMatchObject({ code: 4, out: expect.stringContaining("waiting for an answer") });
  expect(await run("resume", "fix", "--detach")).toMatchObject({ code: 0, out: expect.stringMatching(/^\w{12}\n$/) });
  expect((await run("status")).out).toMatch(/1 waiting\n\nfix +scripted +waiting for \d+ s +[\da-f]{12} +write a\.txt/);
  expect(await run("answer", "fix", "1")).toMatchObject({ code: 2, err: expect.stringContaining("fairlead approve") });
  const approved = (await run("approve", "fix")).out;
  expect(approved).toContain("content: one");
  expect(approved).toMatch(/^Approved for \w{12}: write a\.txt$/m);
  expect((await run("wait", "fix", "--for", "waiting")).code).toBe(0);
  expect((await run("deny", "fix", "--message", "not now")).out).toContain(": run echo two");
  expect((await run("wait", "fix")).out).toMatch(/is idle\.$/m);
  expect(await run("approve", "fix")).toMatchObject({ code: 1, err: expect.stringContaining("has no open decision") });
  expect((await run("logs", "fix")).out).toMatch(/denied by a person \(.+\): not now/);

  expect((await run("files", "fix")).out).toBe("created  a.txt\n");
  expect((await run("diff", "fix")).out).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[^]*\n\+one\n$/);
});

it("counts the lines that are not shown, and shows all of them without approving", async () => {
  await using cli = new TestCli();
  const content = `${"harmless\n".repeat(100)}evil`;
  const long = { tools: [{ name: "write", input: { path: "a.txt", content } }] };
  await cli.run(["run", "scripted", "--detach", "--name", "long", script(long, { text: "Over." })]);
  expect((await cli.run(["wait", "long", "--for", "waiting"])).code).toBe(0);
  const shown = await cli.run(["approve", "long", "--show"]);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("\n      evil\n") });
  expect(shown.out).not.toContain("NOT SHOWN");
  const { out } = await cli.run(["approve", "long"]); // it still waits
  expect(out).toContain("      … 61 more lines, NOT SHOWN\n");
  expect(out).toMatch(/^61 lines are not shown\./m);
  expect(out).not.toContain("evil");
});

it("does not approve a request that replaced the one that was shown", async () => {
  await using cli = new TestCli();
  const shown = { tools: [{ name: "run", input: { command: "ls" } }], withdrawWhen: "replace" };
  const hidden = { tools: [{ name: "run", input: { command: "touch evil\u001b[2J" } }] };
  await cli.run(["run", "scripted", "--detach", "--name", "race", script(shown, hidden, { text: "Over." })]);
  await cli.run(["wait", "race", "--for", "waiting"]);
  const { out } = await cli.run(["approve", "race", "--show"]);
  const digest = /Approve with: fairlead approve \w{12} ([\da-f]{12})$/m.exec(out)?.[1] ?? "";
  expect(digest).toHaveLength(12);
  expect((await cli.run(["status"])).out).toContain(`${digest}  run ls`);
  writeFileSync(join(cli.workspace, "replace"), "");
  await vi.waitUntil(async () => (await cli.run(["status"])).out.includes("touch evil\\u{1b}[2J"), 30_000);
  for (const command of ["approve", "deny"]) {
    const refused = await cli.run([command, "race"]);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("run touch evil\\u{1b}[2J") });
    expect((await cli.run([command, "race", digest])).err).toContain(`has no open decision "${digest}"`);
  }
  const [current] = await cli.json<{ digest: string; decision: string; session: string }>("approve", "race", "--show");
  expect((await cli.run(["approve", "race", current!.decision])).code).toBe(2);
  expect(existsSync(join(cli.workspace, "evil\u001b[2J"))).toBe(false);
  expect((await cli.run(["approve", "race", current!.digest])).code).toBe(0);
});

it("shows a question, and accepts a number as the answer", async () => {
  await using cli = new TestCli();
  const text = "Which?\n  allowed by a person\u001b[2J";
  const questions = [{ text, options: [{ label: "red" }, { label: "blue" }], several: false }];
  await cli.run([
    "run",
    "scripted",
    "--detach",
    "--name",
    "ask",
    script({ tools: [{ name: "ask", input: { questions } }] }),
  ]);
  await cli.run(["wait", "ask", "--for", "waiting"]);
  expect(await cli.run(["approve", "ask"])).toMatchObject({ code: 2, err: expect.stringContaining("fairlead answer") });
  const { code, err } = await cli.run(["answer", "ask"]);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("2  blue") });
  expect(err).toContain("? Which?\n│   allowed by a person\n");
  const out = "Which? allowed by a person blue\n";
  expect(await cli.run(["answer", "ask", "2"])).toEqual({ code: 0, out, err: "" });
  expect((await cli.run(["wait", "ask"])).code).toBe(0);
});

it("sends, waits, pauses and forks", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--name", "one", script({ text: "Once." })]);
  expect((await cli.run(["ps"])).out).toContain("No agent is running");
  expect(await cli.json("send", "one", script({ error: { status: 500 } }))).toMatchObject([
    { turn: expect.any(String) },
  ]);
  expect((await cli.run(["wait", "one"])).code).toBe(1);
  const [view] = await cli.json<SessionView>("ps");
  expect(view).toMatchObject({ name: "one", state: "idle", turns: 2 });
  expect((await cli.run(["steer", "one", "hello"])).err).toMatch(/^fairlead: .*\nTry: fairlead send/);
  expect((await cli.run(["wait", "one", "--for", "ended", "--timeout", "0.1s"])).err).toContain("still idle");
  const [checkpoint] = await cli.json<Checkpoint>("pause", "one");
  expect(checkpoint).toMatchObject({ session: view?.session, state: "paused" });
  const [fork] = await cli.json<SessionView>("fork", "one", "--name", "two", "--rebuild");
  expect(fork).toMatchObject({ name: "two", continues: view?.session });
  expect(await cli.run(["run", "scripted", "--name", "two", "hello"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is taken"),
  });
});

it("lists agents, installed ones first, and usage", async () => {
  await using cli = new TestCli();
  const installed = (await cli.json<AgentView>("agents")).map(({ probeResult }) => probeResult.installed);
  expect(installed).toEqual(installed.toSorted((one, other) => Number(other) - Number(one)));
  expect(await cli.json<UsageView>("usage")).toEqual([]);
});
