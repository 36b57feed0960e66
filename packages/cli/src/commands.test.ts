import { spawnSync } from "node:child_process";
import type { AgentView, Checkpoint, SessionView, UsageView } from "@fairlead/api";
import { expect, it, vi } from "vitest";
import { CliForTest, type Ran } from "./cli-for-test.ts";

// Each of these starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const script = (...steps: readonly object[]): string => `SCRIPT:${JSON.stringify(steps)}`;
const writes = { tools: [{ name: "write", input: { path: "a.txt", content: "one\n" } }] };
const runs = { tools: [{ name: "run", input: { command: "echo two" } }] };

it("answers what an agent asks, from another place", async () => {
  await using cli = new CliForTest();
  const did = async (...words: readonly string[]): Promise<Ran> => await cli.run([...words]);
  spawnSync("git", ["init", "--quiet"], { cwd: cli.workspace });
  await cli.run(["run", "scripted", "--detach", "--name", "fix", script(writes, runs, { text: "Over." })]);
  expect(await did("wait", "fix")).toMatchObject({ code: 4, out: expect.stringContaining("waiting for an answer") });
  expect((await did("status")).out).toMatch(
    /1 waiting\n\nfix +scripted +has waited for an answer for \d+ s +write a\.txt/,
  );
  expect(await did("answer", "fix", "1")).toMatchObject({ code: 2, err: expect.stringContaining("fairlead approve") });
  expect((await did("approve", "fix")).out).toContain("content: one");
  expect((await did("wait", "fix", "--for", "waiting")).code).toBe(0);
  expect((await did("deny", "fix", "--message", "not now")).out).toContain("was refused: run echo two");
  expect((await did("wait", "fix")).out).toMatch(/is idle\.$/m);
  expect(await did("approve", "fix")).toMatchObject({ code: 1, err: expect.stringContaining("waits for no answer") });
  expect((await did("logs", "fix")).out).toContain("denied by a person: not now");

  expect((await did("files", "fix")).out).toBe("created  a.txt\n");
  expect((await did("diff", "fix")).out).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[^]*\n\+one\n$/);
});

it("says how much of what is allowed was not shown, and shows all of it without allowing it", async () => {
  await using cli = new CliForTest();
  const content = `${"harmless\n".repeat(100)}evil`;
  const long = { tools: [{ name: "write", input: { path: "a.txt", content } }] };
  await cli.run(["run", "scripted", "--detach", "--name", "long", script(long, { text: "Over." })]);
  expect((await cli.run(["wait", "long", "--for", "waiting"])).code).toBe(0);
  const shown = await cli.run(["approve", "long", "--show"]);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("\n      evil\n") });
  expect(shown.out).not.toContain("NOT SHOWN");
  const { out } = await cli.run(["approve", "long"]); // for it still waits
  expect(out).toContain("      … 61 more lines, NOT SHOWN\n");
  expect(out).toMatch(/^61 lines of this are not shown; --full shows them all\.$/m);
  expect(out).not.toContain("evil");
});

it("puts a question, and takes a number for an answer", async () => {
  await using cli = new CliForTest();
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
  await using cli = new CliForTest();
  await cli.run(["run", "scripted", "--name", "one", script({ text: "Once." })]);
  expect((await cli.run(["ps"])).out).toContain("Nothing runs");
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
  const [fork] = await cli.json<SessionView>("fork", "one", "--name", "two");
  expect(fork).toMatchObject({ name: "two", continues: view?.session });
  expect(await cli.run(["run", "scripted", "--name", "two", "hello"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("choose another"),
  });
});

it("tells which agents there are, those that can be used first, and what was used", async () => {
  await using cli = new CliForTest();
  const known = (await cli.json<AgentView>("agents")).map(({ finding }) => finding.installed);
  expect(known).toEqual(known.toSorted((one, other) => Number(other) - Number(one)));
  expect(await cli.json<UsageView>("usage")).toEqual([]);
});
