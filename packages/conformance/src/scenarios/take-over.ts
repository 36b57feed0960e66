import assert from "node:assert/strict";
import { FairleadError } from "@fairlead/contract";
import { listSessionProcesses } from "../session-processes.ts";
import type { ScenarioRun } from "../scenario-run.ts";
import type { Scenario } from "../scenario.ts";

/** Large enough for a full-screen program, and wide enough for a message on one line. */
const terminalSize = { columns: 200, rows: 50 };

/** The escape sequence with which a program enables bracketed paste, which shows that it reads input. */
// oxlint-disable-next-line no-control-regex
const bracketedPasteEnabled = /\u001B\[\?2004h/;
/** The start of a paste as the kernel echoes it if the program does not read input yet. */
const echoedPasteStart = "^[[200~";

/** Returns all terminal output so far. */
function readScreen(run: ScenarioRun): string {
  return run
    .deltasOfType("screen")
    .map(({ text }) => text)
    .join("");
}

/**
 * Waits until the terminal output after `offset` matches the pattern. Returns the length of the output. Match single
 * words: a program may move the cursor instead of writing spaces.
 */
async function waitForScreen(run: ScenarioRun, pattern: RegExp, offset: number): Promise<number> {
  await run.waitUntil(() => pattern.test(readScreen(run).slice(offset)), `${pattern} on the screen`);
  return readScreen(run).length;
}

/** Pastes a message once the program reads input, and again if the kernel echoed it because the program did not. */
async function pasteMessage(run: ScenarioRun, message: string, echo: RegExp): Promise<number> {
  for (let offset = 0; ;) {
    const ready = await waitForScreen(run, bracketedPasteEnabled, offset);
    await run.session.type(`\u001B[200~${message}\u001B[201~`);
    offset = await waitForScreen(run, echo, ready);
    if (!readScreen(run).slice(ready, offset).includes(echoedPasteStart)) return offset;
  }
}

export const takeOverAndHandBack: Scenario = {
  name: "a person takes over and hands back",
  needs: ["take-over", "resume"],
  clauses: ["lead:human", "lead:agent"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps({ text: "The word is heliotrope." });
    await run.waitForEvent("turn.ended");
    await session.takeOver(terminalSize);
    const terminalPids = listSessionProcesses(session.id).map(({ pid }) => pid);
    await verify("lead:human", async () => {
      await waitForScreen(run, /heliotrope/, 0);
      const sendError = await session.send("Hello?").catch((error: unknown) => error);
      assert.ok(
        FairleadError.is(sendError, "taken-over"),
        "the session accepted a message while a person has the lead",
      );
    });
    // In one chunk: a program that redraws only what is new would split the text on the screen.
    const message = run.bench.buildPrompt([{ text: "Now it is marmalade.", chunks: 1 }], run.workspace) ?? "";
    const afterPaste = await pasteMessage(run, message, /marmalade/);
    await session.type("\r");
    // In the typed prompt a quotation mark follows the word; in the answer it does not.
    await waitForScreen(run, /marmalade\.(?!")/, afterPaste);
    await session.handBack();
    await run.runSteps({ text: "I remember." });
    await run.waitForEvent("turn.ended", 2);
    await verify("lead:agent", async () => {
      const leads = run.eventsOfType("lead.changed").map(({ lead }) => lead);
      assert.deepEqual(leads, ["human", "agent"]);
      const remaining = listSessionProcesses(session.id).filter(({ pid }) => terminalPids.includes(pid));
      assert.deepEqual(remaining, [], "the terminal's processes are still running");
      assert.equal((await run.waitForEvent("session.resumed")).outcome, "native");
      const context = (await run.bench.readModelContext?.()) ?? "";
      assert.match(context, /heliotrope[^]*marmalade/, "the model request does not contain the text from the terminal");
    });
  },
};
