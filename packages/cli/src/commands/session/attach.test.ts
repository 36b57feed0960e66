import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { expect, it, vi } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

// This test starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const detachKey = "\u001C";

it("leads in the agent's own terminal, and the agent continues the conversation afterwards", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--name", "one", 'SCRIPT:[{"text":"The word is heliotrope."}]']);
  for (const [at, word] of ["Marmalade.", "Gooseberry."].entries()) {
    // The session is paused the first time, and idle the second time.
    const terminal = cli.terminal(["attach", "one"]);
    await terminal.waitForText("heliotrope");
    terminal.press(`SCRIPT:[{"text":"${word}"}]\r`);
    await terminal.waitForText(`\n${word}`);
    expect(await cli.run(["send", "one", "hello"])).toMatchObject({ code: 1, err: expect.stringContaining("attach") });
    terminal.press(detachKey);
    await terminal.waitForText("The agent leads again.");
    expect(await terminal.exitCode()).toBe(0);
    expect((await cli.run(["send", "one", `SCRIPT:[{"text":"${at}"}]`])).code).toBe(0);
    expect((await cli.run(["wait", "one"])).code).toBe(0);
  }
});

it("marks the turns of the agent's own terminal in the log", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--name", "one", 'SCRIPT:[{"text":"The word is heliotrope."}]']);
  const terminal = cli.terminal(["attach", "one"]);
  await terminal.waitForText("heliotrope");
  terminal.press('SCRIPT:[{"text":"Marmalade."}]\r');
  await terminal.waitForText("\nMarmalade.");
  terminal.press(detachKey);
  await terminal.waitForText("The agent leads again.");
  expect(terminal.screen).not.toContain("not recorded");
  const { out } = await cli.run(["logs", "one"]);
  expect(out).toContain('\n> SCRIPT:[{"text":"The word is heliotrope."}]\n');
  expect(out).toContain('\nterminal> SCRIPT:[{"text":"Marmalade."}]\n');
  expect(out).toContain("\n│ Marmalade.\n");
});

it("says before and after that the terminal is not recorded", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--name", "one", 'SCRIPT:[{"text":"The word is heliotrope."}]']);
  const [view] = await cli.json<SessionView>("ls");
  // Links are not read, because an agent could lay them.
  const transcript = join(cli.stateFolder, "fairlead-scripted", `${view?.agentSessionId ?? ""}.jsonl`);
  renameSync(transcript, `${transcript}.moved`);
  symlinkSync(`${transcript}.moved`, transcript);
  const terminal = cli.terminal(["attach", "one"]);
  await terminal.waitForText("What is said and done in the agent's own terminal is not recorded.");
  await terminal.waitForText("heliotrope");
  terminal.press('SCRIPT:[{"text":"Marmalade."}]\r');
  await terminal.waitForText("\nMarmalade.");
  terminal.press(detachKey);
  await terminal.waitForText("What was said and done in the agent's own terminal is not recorded.");
  await terminal.waitForText("The agent leads again.");
  expect(await terminal.exitCode()).toBe(0);
  const { out } = await cli.run(["logs", "one"]);
  expect(out).toContain("is not recorded");
  expect(out).toContain("was said and done");
  expect(out).not.toContain("terminal>");
});

it("says that a session was stopped while a person led it, and lists it as taken over before", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "scripted", "--name", "one", 'SCRIPT:[{"text":"The word is heliotrope."}]']);
  const terminal = cli.terminal(["attach", "one"]);
  await terminal.waitForText("heliotrope");
  expect((await cli.run(["ls"])).out).toContain("taken over");
  expect((await cli.run(["status"])).out).toContain("a person leads in the agent's own terminal");
  expect((await cli.run(["stop", "one"])).code).toBe(0);
  await terminal.waitForText("has ended (stopped).");
  expect(terminal.screen).not.toContain("leads again");
  expect(await terminal.exitCode()).toBe(1);
});

it("fails without a terminal", async () => {
  await using cli = new TestCli();
  expect(await cli.run(["attach", "one"])).toMatchObject({ code: 2, err: expect.stringContaining("needs a terminal") });
});

it("ends at once if the agent has no terminal of its own", async () => {
  await using cli = new TestCli();
  await cli.run(["run", "shell", "--name", "one", "true"]);
  const terminal = cli.terminal(["attach", "one"]);
  await terminal.waitForText("no terminal");
  expect(await terminal.exitCode()).toBe(1);
});
