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
  expect(await run("answer", "fix", "1")).toMatchObject({ code: 1, err: expect.stringContaining("fairlead approve") });
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
  expect(await run("diff", "fix", "--since", "commit")).toMatchObject({
    code: 0,
    out: expect.stringContaining("+one"),
    err: expect.stringContaining("has no commit yet"),
  });
  expect(await run("diff", "fix", "--since", "commit", "--turn", "1")).toMatchObject({ code: 2 });
  expect(await run("diff", "fix", "--since", "now")).toMatchObject({ err: expect.stringContaining("start, commit") });
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
  expect(await cli.run(["approve", "ask"])).toMatchObject({ code: 1, err: expect.stringContaining("fairlead answer") });
  expect((await cli.run(["status"])).out).toContain("asks: Which?\\n  allowed by a person\\u{1b}[2J (1 red, 2 blue)");
  const { code, err } = await cli.run(["answer", "ask"]);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("2  blue") });
  expect(err).toContain("? Which?\n│   allowed by a person\n");
  const out = "Which? allowed by a person blue\n";
  expect(await cli.run(["answer", "ask", "2"])).toEqual({ code: 0, out, err: "" });
  expect((await cli.run(["wait", "ask"])).code).toBe(0);
});

it("answers the request of the right kind when several are open", async () => {
  await using cli = new TestCli();
  const questions = [{ text: "Which?", options: [{ label: "red" }], several: false }];
  const tools = [{ name: "ask", input: { questions } }, ...runStep.tools, ...writeStep.tools];
  await cli.run(["run", "scripted", "--detach", "--name", "many", script({ tools }, { text: "Over." })]);
  await cli.run(["wait", "many", "--for", "waiting"]);
  await vi.waitUntil(async () => (await cli.json("approve", "many", "--show")).length === 3, 30_000);
  const shown = await cli.run(["approve", "many", "--show"]);
  expect(shown.out.match(/^(Approve|Answer) with: fairlead \w+ \w{12}( --decision)? [\da-f]{12}/gm)).toHaveLength(3);
  const twoApprovals = await cli.run(["approve", "many"]);
  expect(twoApprovals).toMatchObject({
    code: 2,
    err: expect.stringMatching(/Try: fairlead approve \w{12} [\da-f]{12}$/m),
  });
  expect(twoApprovals.err).not.toContain("asks:");
  expect(await cli.run(["answer", "many", "1"])).toMatchObject({ code: 0, out: "Which? red\n" });
  // The question is answered: a second answer is too late, and approvals are still open.
  const late = await cli.run(["answer", "many", "1", "--json"]);
  expect(late).toMatchObject({ code: 1, err: expect.stringContaining("decision-not-open") });
});

it("names the call of each answer, and fails a call with an invalid input", async () => {
  await using cli = new TestCli();
  const tools = [...runStep.tools, ...writeStep.tools];
  await cli.run(["run", "scripted", "--detach", "--name", "many", script({ tools }, { text: "Over." })]);
  await vi.waitUntil(
    async () => (await cli.json<{ decisions: object[] }>("status"))[0]?.decisions.length === 2,
    30_000,
  );
  const [first] = await cli.json<{ digest: string }>("approve", "many", "--show");
  expect((await cli.run(["deny", "many", first!.digest])).code).toBe(0);
  expect((await cli.run(["deny", "many", first!.digest])).code).toBe(1);
  expect((await cli.run(["approve", "many", "--input", '{"path":5}'])).code).toBe(0);
  expect(await cli.run(["wait", "many"])).toMatchObject({ code: 0, out: expect.stringContaining("is idle") });
  const { out } = await cli.run(["logs", "many"]);
  expect(out).toContain("The input is invalid:");
  expect(out).toMatch(/^ {2}run echo two: denied by a person/m);
});

it("interrupts a turn, after which the queued message starts", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--detach", "--name", "busy", script({ hang: true })]);
  await cli.run(["send", "busy", script({ hang: true })]);
  expect(await cli.run(["interrupt", "busy"])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The turn ended: interrupted\. \w{12} is (working|idle)\.\n$/),
  });
  await vi.waitUntil(async () => (await cli.json<SessionView>("ls"))[0]?.queued === 0, 20_000);
  expect(await cli.json<SessionView>("interrupt", "busy")).toMatchObject([{ state: "idle", turns: 2 }]);
  expect(await cli.run(["interrupt", "busy"])).toMatchObject({ code: 1, err: expect.stringContaining("no open turn") });
  await cli.run(["stop", "busy"]);
  expect(await cli.run(["interrupt", "busy"])).toMatchObject({ code: 1, err: expect.stringContaining("has ended") });
});

it("does not wait without a limit for an agent that is suspended", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--detach", "--name", "stuck", script({ hang: true })]);
  const [view] = await cli.json<SessionView>("ls");
  process.kill(view!.pid!, "SIGSTOP");
  expect(await cli.run(["interrupt", "stuck", "--timeout", "1s"])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/has not ended the turn after 1.*fairlead pause \w{12}.*fairlead stop \w{12}$/m),
  });
  expect(await cli.run(["pause", "stuck"])).toMatchObject({ code: 0, out: expect.stringContaining("is paused") });
});

it("says what a message to a paused session starts", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--detach", "--name", "kept", script({ hang: true })]);
  for (const text of ["One.", "Two."]) await cli.run(["send", "kept", script({ text })]);
  await cli.run(["pause", "kept"]);
  expect((await cli.run(["ls"])).out).toContain("paused (interrupted, 2 queued)");
  expect((await cli.run(["status"])).out).toMatch(/2 queued: fairlead resume \w{12}$/m);
  expect(await cli.run(["send", "kept", script({ text: "Three." })])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Resumed \w{12}\. 2 messages that the pause kept are ahead\.\n/),
  });
  expect((await cli.run(["wait", "kept"])).code).toBe(0);
  expect(await cli.json("send", "kept", script({ text: "Four." }))).toMatchObject([{ resumed: false, ahead: 0 }]);
});

it("shows a crashed session in status until another one continues it", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--name", "crash", script({ text: "Once." })]);
  await cli.run(["send", "crash", script({ hang: true })]);
  await vi.waitUntil(async () => (await cli.json<SessionView>("ls"))[0]?.pid != null, 30_000);
  const [view] = await cli.json<SessionView>("ls");
  process.kill(view!.pid!, "SIGKILL");
  await cli.run(["wait", "crash", "--for", "ended"]);
  const { out } = await cli.run(["status"]);
  expect(out).toMatch(/crash +scripted +ended \(crashed\) \d+ s ago +see: fairlead logs \w{12}; continue with/);
  expect((await cli.run(["resume", view!.session, script({ text: "Again." })])).code).toBe(0);
  expect((await cli.run(["status"])).out).not.toContain("crashed");
});

it("suggests the history that the agent can be given", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "shell", "--name", "plain", "echo one"]);
  const [view] = await cli.json<SessionView>("ls");
  const hint = (command: string): string => `Accept the outcome "fresh".\nTry: fairlead ${command}`;
  expect((await cli.run(["resume", "plain", "--rebuild", "ls"])).err).toContain(hint("resume plain --fresh"));
  expect((await cli.run(["fork", "plain"])).err).toContain(hint("fork plain --fresh"));
  await cli.run(["stop", "plain"]);
  expect((await cli.run(["resume", view!.session, "ls"])).err).toContain(hint(`resume ${view!.session} --fresh`));
  for (const command of ["resume", "fork"])
    expect((await cli.run([command, view!.session, "--rebuild", "--fresh"])).code).toBe(2);
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
