import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { expect, it } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

const enter = "\r";
const interrupt = "\u0003";
const endOfInput = "\u0004";
/** The margin of the agent's text. */
const margin = "\u001b[2m│\u001b[22m ";
const slowScript = 'SCRIPT:[{"text":"one two three four five six","chunks":6,"chunkDelay":400}]';

it("asks before a tool runs, and runs what is allowed", async () => {
  await using cli = new TestCli();
  const terminal = cli.terminal(["run", "scripted", "hello"]);
  await terminal.waitForText("content: Hello from the scripted agent.");
  await terminal.waitForText("Allow?");
  expect(existsSync(join(cli.workspace, "greeting.txt"))).toBe(false);
  terminal.press(`y${enter}`);
  await terminal.waitForText("created greeting.txt");
  await terminal.waitForText("Allow?");
  terminal.press(`n${enter}`);
  await terminal.waitForText("Reason for the agent");
  terminal.press(`not now${enter}`);
  await terminal.waitForText("denied: not now");
  expect(await terminal.exitCode()).toBe(0);
});

it("ignores input that was typed before the question appeared", async () => {
  await using cli = new TestCli();
  const terminal = cli.terminal(["run", "scripted", "hello"]);
  await terminal.waitForText("I will");
  terminal.press(`y${enter}`);
  await terminal.waitForText("Allow?");
  terminal.press(`s${enter}`);
  await terminal.waitForText("interrupted");
  expect(await terminal.exitCode()).toBe(130);
  expect(existsSync(join(cli.workspace, "greeting.txt"))).toBe(false);
});

it("counts hidden lines in the question, and shows them on request", async () => {
  await using cli = new TestCli();
  const content = `${"harmless\n".repeat(100)}evil`;
  const script = JSON.stringify([{ tools: [{ name: "write", input: { path: "a.txt", content } }] }]);
  const terminal = cli.terminal(["run", "scripted", `SCRIPT:${script}`]);
  await terminal.waitForText("… 61 more lines, NOT SHOWN");
  await terminal.waitForText("61 lines are NOT SHOWN. Allow? [y]es  [n]o  [f]ull");
  terminal.press(`f${enter}`);
  await terminal.waitForText("      evil");
  await terminal.waitForText("Allow? [y]es  [n]o  [e]dit");
  expect(existsSync(join(cli.workspace, "a.txt"))).toBe(false);
  terminal.press(`s${enter}`);
  expect(await terminal.exitCode()).toBe(130);
});

it("runs the edited input", async () => {
  await using cli = new TestCli({ EDITOR: `sed -i s/original/edited/` });
  const terminal = cli.terminal([
    "run",
    "scripted",
    'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo original"}}]}]',
  ]);
  await terminal.waitForText("Allow?");
  terminal.press(`e${enter}`);
  await terminal.waitForText("✓");
  await terminal.waitForText("edited");
  expect(await terminal.exitCode()).toBe(0);
});

it("shows questions with their options", async () => {
  await using cli = new TestCli();
  const questions = [{ text: "Which?", options: [{ label: "red" }, { label: "blue" }], several: true }];
  const script = JSON.stringify([{ tools: [{ name: "ask", input: { questions } }] }]);
  const terminal = cli.terminal(["run", "scripted", `SCRIPT:${script}`]);
  await terminal.waitForText("2  blue");
  await terminal.waitForText("free text:");
  terminal.press(`1,2${enter}`);
  await terminal.waitForText('{"Which?":"red, blue"}');
  expect(await terminal.exitCode()).toBe(0);
});

it("interrupts the turn at the first Ctrl-C", async () => {
  await using cli = new TestCli();
  const terminal = cli.terminal(["run", "scripted", slowScript]);
  await terminal.waitForText("three");
  terminal.press(interrupt);
  await terminal.waitForText("Interrupting the turn");
  await terminal.waitForText("interrupted");
  expect(await terminal.exitCode()).toBe(130);
});

it("sends messages until Ctrl-D, and then pauses the session", async () => {
  await using cli = new TestCli();
  const terminal = cli.terminal(["run", "scripted"]);
  for (const word of ["First.", "Second."]) {
    await terminal.waitForText("> ");
    terminal.press(`SCRIPT:[{"text":"${word}"}]${enter}`);
    await terminal.waitForText(`${margin}${word}`);
    await terminal.waitForText("completed");
  }
  await terminal.waitForText("> ");
  terminal.press(endOfInput);
  await terminal.waitForText("Continue with:");
  expect(await terminal.exitCode()).toBe(0);
  expect(await cli.json<SessionView>("ls")).toMatchObject([{ turns: 2, state: "paused" }]);
});

it("detaches when Ctrl-C is pressed between turns", async () => {
  await using cli = new TestCli();
  const terminal = cli.terminal(["run", "scripted"]);
  await terminal.waitForText("> ");
  terminal.press(interrupt);
  await terminal.waitForText("fairlead stop");
  expect(await terminal.exitCode()).toBe(0);
  expect(await cli.json<SessionView>("ls")).toMatchObject([{ state: "idle" }]);
});

it("detaches during a turn when Ctrl-C is pressed twice", async () => {
  await using cli = new TestCli();
  const terminal = cli.terminal(["run", "shell", "trap '' TERM; echo ready; while :; do sleep 1; done"]);
  await terminal.waitForText(`${margin}ready`);
  terminal.press(interrupt);
  await terminal.waitForText("Interrupting the turn");
  terminal.press(interrupt);
  await terminal.waitForText("Detached.");
  expect(await terminal.exitCode()).toBe(0);
});

it("shows the running turn from its start when a person returns", async () => {
  await using cli = new TestCli();
  const id = (await cli.run(["run", "scripted", "--detach", slowScript])).out.trim();
  const terminal = cli.terminal(["resume", id]);
  await terminal.waitForText("Attached to");
  await terminal.waitForText(`${margin}one two three four five six`);
  await terminal.waitForText("completed");
  await terminal.waitForText("> ");
  terminal.press(endOfInput);
  expect(await terminal.exitCode()).toBe(0);
});

it("leaves a running turn running at Ctrl-\\, and a session that waits for an answer", async () => {
  await using cli = new TestCli();
  const working = cli.terminal(["run", "scripted", "--name", "left", slowScript]);
  await working.waitForText("one");
  working.press("\u001C");
  await working.waitForText("Detached. The session is working.");
  expect(await working.exitCode()).toBe(0);
  expect((await cli.run(["wait", "left"])).code).toBe(0);
  const waiting = cli.terminal(["run", "scripted", "--name", "asks", "hello"]);
  await waiting.waitForText("Allow?");
  waiting.press("\u001C");
  await waiting.waitForText("Detached. The session is waiting for an answer.");
  expect(await waiting.exitCode()).toBe(0);
});
