import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { processesOf } from "../processes.ts";
import type { Rehearsal } from "../rehearsal.ts";
import type { Scenario } from "../scenario.ts";
import { speaking } from "../speaking.ts";

const endless = "tail -f /dev/null";
/** It writes: what only reads, some agents hold for harmless, and then they run it without asking. */
const longCommand = `${endless} > endless.txt`;

/** After an interrupt the session must still be of use. */
async function goesOn(rehearsal: Rehearsal): Promise<void> {
  await rehearsal.play({ text: "Still here." });
  const next = await rehearsal.the("turn.ended", 2);
  assert.equal(next.outcome, "completed");
  assert.equal(rehearsal.all("text.ended").at(-1)?.text.trimEnd(), "Still here.");
}

export const interruptText: Scenario = {
  name: "interrupt during text",
  needs: ["interrupt"],
  cites: ["interrupt:text"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const words = "one two three four five six seven eight nine ten";
    await speaking(rehearsal, await rehearsal.play({ text: words, chunks: 10, chunkDelay: 500 }));
    await session.interrupt();
    const ended = await rehearsal.the("turn.ended");
    await verifies("interrupt:text", async () => {
      assert.equal(ended.outcome, "interrupted");
      assert.doesNotMatch(rehearsal.all("text.ended")[0]?.text ?? "", /ten/);
      await goesOn(rehearsal);
    });
  },
};

export const interruptCommand: Scenario = {
  name: "interrupt during a running command",
  needs: ["interrupt"],
  cites: ["interrupt:command"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const running = (): boolean => processesOf(session.id).some(({ command }) => command.startsWith(endless));
    await rehearsal.play({ acts: [{ run: longCommand }] }, { text: "Never said." });
    if (rehearsal.declares("tools")) await rehearsal.the("tool.requested");
    if (rehearsal.declares("approvals")) {
      const asked = await rehearsal.the("decision.requested");
      await session.answer(asked.decision, { type: "allow" });
    }
    const patience = AbortSignal.timeout(rehearsal.patience);
    while (!running()) await wait(20, undefined, { signal: patience });
    await session.interrupt();
    const ended = await rehearsal.the("turn.ended");
    await verifies("interrupt:command", async () => {
      assert.equal(ended.outcome, "interrupted");
      const deadline = Date.now() + 5000;
      while (running() && Date.now() < deadline) await wait(20);
      assert.equal(running(), false, "the command is still running");
      await goesOn(rehearsal);
    });
  },
};

export const interruptDecision: Scenario = {
  name: "interrupt during a pending approval",
  needs: ["interrupt", "approvals"],
  cites: ["interrupt:decision"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    await rehearsal.play({ acts: [{ write: { path: "note.txt", content: "x" } }] }, { text: "Never said." });
    await rehearsal.the("decision.requested");
    await session.interrupt();
    const ended = await rehearsal.the("turn.ended");
    await verifies("interrupt:decision", async () => {
      assert.equal(ended.outcome, "interrupted");
      assert.equal(rehearsal.all("decision.resolved")[0]?.outcome, "canceled");
      assert.equal(existsSync(join(rehearsal.workspace, "note.txt")), false);
      await goesOn(rehearsal);
    });
  },
};
