import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { listSessionProcesses } from "../session-processes.ts";
import type { Scenario } from "../scenario.ts";
import { waitUntilModelResponds, type ScenarioRun } from "../scenario-run.ts";

const endlessCommand = "tail -f /dev/null";
/** Writes a file, because some agents run read-only commands without asking for approval. */
const writingEndlessCommand = `${endlessCommand} > endless.txt`;

/** Asserts that the session completes another turn after the interrupt. */
async function assertSessionStillWorks(run: ScenarioRun): Promise<void> {
  await run.runSteps({ text: "Still here." });
  const ended = await run.waitForEvent("turn.ended", 2);
  assert.equal(ended.outcome, "completed");
  assert.equal(run.eventsOfType("text.ended").at(-1)?.text.trimEnd(), "Still here.");
}

export const interruptText: Scenario = {
  name: "interrupt during text",
  needs: ["interrupt"],
  clauses: ["interrupt:text"],
  async execute(run, verify) {
    const session = await run.start();
    const words = "one two three four five six seven eight nine ten";
    await waitUntilModelResponds(run, await run.runSteps({ text: words, chunks: 10, chunkDelay: 500 }));
    await session.interrupt();
    const ended = await run.waitForEvent("turn.ended");
    await verify("interrupt:text", async () => {
      assert.equal(ended.outcome, "interrupted");
      assert.doesNotMatch(run.eventsOfType("text.ended")[0]?.text ?? "", /ten/);
      await assertSessionStillWorks(run);
    });
  },
};

export const interruptCommand: Scenario = {
  name: "interrupt during a running command",
  needs: ["interrupt"],
  clauses: ["interrupt:command"],
  async execute(run, verify) {
    const session = await run.start();
    const isRunning = (): boolean =>
      listSessionProcesses(session.id).some(({ command }) => command.startsWith(endlessCommand));
    await run.runSteps({ actions: [{ run: writingEndlessCommand }] }, { text: "Never said." });
    if (run.declares("tools")) await run.waitForEvent("tool.requested");
    if (run.declares("approvals")) {
      const request = await run.waitForEvent("decision.requested");
      await session.answer(request.decision, { type: "allow" });
    }
    const timeoutSignal = AbortSignal.timeout(run.waitTimeout);
    while (!isRunning()) await wait(20, undefined, { signal: timeoutSignal });
    await session.interrupt();
    const ended = await run.waitForEvent("turn.ended");
    await verify("interrupt:command", async () => {
      assert.equal(ended.outcome, "interrupted");
      const deadline = Date.now() + 5000;
      while (isRunning() && Date.now() < deadline) await wait(20);
      assert.equal(isRunning(), false, "the command is still running");
      await assertSessionStillWorks(run);
    });
  },
};

export const interruptDecision: Scenario = {
  name: "interrupt during a pending approval",
  needs: ["interrupt", "approvals"],
  clauses: ["interrupt:decision"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps({ actions: [{ write: { path: "note.txt", content: "x" } }] }, { text: "Never said." });
    await run.waitForEvent("decision.requested");
    await session.interrupt();
    const ended = await run.waitForEvent("turn.ended");
    await verify("interrupt:decision", async () => {
      assert.equal(ended.outcome, "interrupted");
      const { outcome, by } = run.eventsOfType("decision.resolved")[0] ?? {};
      // The agent withdraws its request because a person interrupted it.
      assert.deepEqual([outcome, by], ["canceled", { kind: "person" }]);
      assert.equal(existsSync(join(run.workspace, "note.txt")), false);
      await assertSessionStillWorks(run);
    });
  },
};
