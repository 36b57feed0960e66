import assert from "node:assert/strict";
import { FairleadError } from "@fairlead/contract";
import { processesOf } from "../processes.ts";
import type { Rehearsal } from "../rehearsal.ts";
import type { Scenario } from "../scenario.ts";

/** Large enough for a program that draws, and for a message to stand on one line of it. */
const size = { columns: 200, rows: 50 };

/** How a program says that it listens, and can tell what is pasted from what is typed. */
// oxlint-disable-next-line no-control-regex
const listens = /\u001B\[\?2004h/;
/** How the beginning of what is pasted looks when the program does not listen after all, and the kernel shows it. */
const unheard = "^[[200~";

/** Everything that the terminal has shown. */
function screenOf(rehearsal: Rehearsal): string {
  return rehearsal
    .deltas("screen")
    .map(({ text }) => text)
    .join("");
}

/** Waits until the terminal has shown something since a moment. A program may move between words instead of writing spaces. */
async function shows(rehearsal: Rehearsal, wanted: RegExp, since: number): Promise<number> {
  await rehearsal.until(() => wanted.test(screenOf(rehearsal).slice(since)), `${wanted} on the screen`);
  return screenOf(rehearsal).length;
}

/** Pastes a message as a person does: when the program listens, and again if it turns out that it did not. */
async function paste(rehearsal: Rehearsal, message: string, word: RegExp): Promise<number> {
  for (let since = 0; ;) {
    const ready = await shows(rehearsal, listens, since);
    await rehearsal.session.type(`\u001B[200~${message}\u001B[201~`);
    since = await shows(rehearsal, word, ready);
    if (!screenOf(rehearsal).slice(ready, since).includes(unheard)) return since;
  }
}

export const takenOver: Scenario = {
  name: "a person takes over and hands back",
  needs: ["take-over", "resume"],
  cites: ["lead:human", "lead:agent"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    await rehearsal.play({ text: "The word is heliotrope." });
    await rehearsal.the("turn.ended");
    await session.takeOver(size);
    const terminal = processesOf(session.id).map(({ pid }) => pid);
    await verifies("lead:human", async () => {
      await shows(rehearsal, /heliotrope/, 0);
      const refused = await session.send("Hello?").catch((error: unknown) => error);
      assert.ok(FairleadError.is(refused, "taken-over"), "somebody else could speak to the agent");
    });
    // In one piece, since a program that draws what is new only would draw it in pieces.
    const message = rehearsal.stage.prompt([{ text: "Now it is marmalade.", chunks: 1 }], rehearsal.workspace) ?? "";
    const pasted = await paste(rehearsal, message, /marmalade/);
    await session.type("\r");
    // What was typed has a quotation mark behind it; the answer has not.
    await shows(rehearsal, /marmalade\.(?!")/, pasted);
    await session.handBack();
    await rehearsal.play({ text: "I remember." });
    await rehearsal.the("turn.ended", 2);
    await verifies("lead:agent", async () => {
      const leads = rehearsal.all("lead.changed").map(({ lead }) => lead);
      assert.deepEqual(leads, ["human", "agent"]);
      const left = processesOf(session.id).filter(({ pid }) => terminal.includes(pid));
      assert.deepEqual(left, [], "the terminal is still there");
      assert.equal((await rehearsal.the("session.resumed")).outcome, "native");
      const context = (await rehearsal.stage.context?.()) ?? "";
      assert.match(context, /heliotrope[^]*marmalade/, "the model was not shown what was said in the terminal");
    });
  },
};
