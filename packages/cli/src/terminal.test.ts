import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { expect, it } from "vitest";
import { CliForTest } from "./cli-for-test.ts";

const enter = "\r";
const interrupt = "\u0003";
const endOfInput = "\u0004";
/** What stands before what an agent says. */
const margin = "\u001b[2m│\u001b[22m ";
const slowly = 'SCRIPT:[{"text":"one two three four five six","chunks":6,"chunkDelay":400}]';

it("asks before anything is done, and does what is allowed", async () => {
  await using cli = new CliForTest();
  const terminal = cli.terminal(["run", "scripted", "hello"]);
  await terminal.sees("content: Hello from the scripted agent.");
  await terminal.sees("Allow?");
  expect(existsSync(join(cli.workspace, "greeting.txt"))).toBe(false);
  terminal.press(`y${enter}`);
  await terminal.sees("created greeting.txt");
  await terminal.sees("Allow?");
  terminal.press(`n${enter}`);
  await terminal.sees("Why not?");
  terminal.press(`not now${enter}`);
  await terminal.sees("denied: not now");
  expect(await terminal.exitCode()).toBe(0);
});

it("takes nothing for an answer that was typed before the question", async () => {
  await using cli = new CliForTest();
  const terminal = cli.terminal(["run", "scripted", "hello"]);
  await terminal.sees("I will");
  terminal.press(`y${enter}`);
  await terminal.sees("Allow?");
  terminal.press(`s${enter}`);
  await terminal.sees("interrupted");
  expect(await terminal.exitCode()).toBe(130);
  expect(existsSync(join(cli.workspace, "greeting.txt"))).toBe(false);
});

it("says in the question itself that not all was shown, and shows it", async () => {
  await using cli = new CliForTest();
  const content = `${"harmless\n".repeat(100)}evil`;
  const script = JSON.stringify([{ tools: [{ name: "write", input: { path: "a.txt", content } }] }]);
  const terminal = cli.terminal(["run", "scripted", `SCRIPT:${script}`]);
  await terminal.sees("… 61 more lines, NOT SHOWN");
  await terminal.sees("61 lines are NOT SHOWN. Allow? [y]es  [n]o  [f]ull");
  terminal.press(`f${enter}`);
  await terminal.sees("      evil");
  await terminal.sees("Allow? [y]es  [n]o  [e]dit");
  expect(existsSync(join(cli.workspace, "a.txt"))).toBe(false);
  terminal.press(`s${enter}`);
  expect(await terminal.exitCode()).toBe(130);
});

it("runs what was edited", async () => {
  await using cli = new CliForTest({ EDITOR: `sed -i s/asked/edited/` });
  const terminal = cli.terminal([
    "run",
    "scripted",
    'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo asked"}}]}]',
  ]);
  await terminal.sees("Allow?");
  terminal.press(`e${enter}`);
  await terminal.sees("✓");
  await terminal.sees("edited");
  expect(await terminal.exitCode()).toBe(0);
});

it("puts questions with their options", async () => {
  await using cli = new CliForTest();
  const questions = [{ text: "Which?", options: [{ label: "red" }, { label: "blue" }], several: true }];
  const script = JSON.stringify([{ tools: [{ name: "ask", input: { questions } }] }]);
  const terminal = cli.terminal(["run", "scripted", `SCRIPT:${script}`]);
  await terminal.sees("2  blue");
  await terminal.sees("own words:");
  terminal.press(`1,2${enter}`);
  await terminal.sees('{"Which?":"red, blue"}');
  expect(await terminal.exitCode()).toBe(0);
});

it("interrupts the turn at the first Ctrl-C", async () => {
  await using cli = new CliForTest();
  const terminal = cli.terminal(["run", "scripted", slowly]);
  await terminal.sees("three");
  terminal.press(interrupt);
  await terminal.sees("Interrupting the turn");
  await terminal.sees("interrupted");
  expect(await terminal.exitCode()).toBe(130);
});

it("talks until Ctrl-D, and then lets the agent go", async () => {
  await using cli = new CliForTest();
  const terminal = cli.terminal(["run", "scripted"]);
  for (const word of ["First.", "Second."]) {
    await terminal.sees("> ");
    terminal.press(`SCRIPT:[{"text":"${word}"}]${enter}`);
    await terminal.sees(`${margin}${word}`);
    await terminal.sees("completed");
  }
  await terminal.sees("> ");
  terminal.press(endOfInput);
  await terminal.sees("goes on");
  expect(await terminal.exitCode()).toBe(0);
  expect(await cli.json<SessionView>("ls")).toMatchObject([{ turns: 2, state: "paused" }]);
});

it("leaves the agent running when Ctrl-C is pressed between turns", async () => {
  await using cli = new CliForTest();
  const terminal = cli.terminal(["run", "scripted"]);
  await terminal.sees("> ");
  terminal.press(interrupt);
  await terminal.sees("fairlead stop");
  expect(await terminal.exitCode()).toBe(0);
  expect(await cli.json<SessionView>("ls")).toMatchObject([{ state: "idle" }]);
});

it("leaves the agent at work when Ctrl-C is pressed twice", async () => {
  await using cli = new CliForTest();
  const terminal = cli.terminal(["run", "shell", "trap '' TERM; echo ready; while :; do sleep 1; done"]);
  await terminal.sees(`${margin}ready`);
  terminal.press(interrupt);
  await terminal.sees("Interrupting the turn");
  terminal.press(interrupt);
  await terminal.sees("Left running.");
  expect(await terminal.exitCode()).toBe(0);
});

it("shows what an agent is saying from the start to somebody who comes back", async () => {
  await using cli = new CliForTest();
  const id = (await cli.run(["run", "scripted", "--detach", slowly])).out.trim();
  const terminal = cli.terminal(["resume", id]);
  await terminal.sees("Attached to");
  await terminal.sees(`${margin}one two three four five six`);
  await terminal.sees("completed");
  await terminal.sees("> ");
  terminal.press(endOfInput);
  expect(await terminal.exitCode()).toBe(0);
});
