import { expect, it, vi } from "vitest";
import { CliForTest } from "../cli-for-test.ts";

// It starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const leave = "\u001C";

it("leads in the agent's own terminal, and the agent goes on from there", async () => {
  await using cli = new CliForTest();
  await cli.run(["run", "scripted", "--name", "one", 'SCRIPT:[{"text":"The word is heliotrope."}]']);
  for (const [at, word] of ["Marmalade.", "Gooseberry."].entries()) {
    // The first time it is paused, the second time it waits for a message.
    const terminal = cli.terminal(["attach", "one"]);
    await terminal.sees("heliotrope");
    terminal.press(`SCRIPT:[{"text":"${word}"}]\r`);
    await terminal.sees(`\n${word}`);
    expect(await cli.run(["send", "one", "hello"])).toMatchObject({ code: 1, err: expect.stringContaining("attach") });
    terminal.press(leave);
    await terminal.sees("The agent leads again.");
    expect(await terminal.exitCode()).toBe(0);
    expect((await cli.run(["send", "one", `SCRIPT:[{"text":"${at}"}]`])).code).toBe(0);
    expect((await cli.run(["wait", "one"])).code).toBe(0);
  }
});

it("needs a terminal to sit at", async () => {
  await using cli = new CliForTest();
  expect(await cli.run(["attach", "one"])).toMatchObject({ code: 2, err: expect.stringContaining("needs a terminal") });
});
