import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";
import { waitUntilModelResponds, type ScenarioRun } from "../scenario-run.ts";

/**
 * Completes one turn, because some agents store no conversation before that. Then starts a long turn and queues messages
 * behind it. Returns the inputs of the long turn and of the messages.
 */
async function startBusyTurn(run: ScenarioRun, ...texts: string[]): Promise<string[]> {
  await run.start();
  await run.runSteps({ text: "The first." });
  await run.waitForEvent("turn.ended");
  const { length: earlierDeltas } = run.deltasOfType("text.delta");
  const words = "one two three four five six seven eight nine ten";
  const inputs = [await run.runSteps({ text: words, chunks: 10, chunkDelay: 500 })];
  // Otherwise an interrupt could arrive before the agent has begun the turn, and agents ignore it then.
  await waitUntilModelResponds(run, inputs[0] ?? "", earlierDeltas);
  for (const text of texts) inputs.push(await run.runSteps({ text }));
  assert.equal(run.eventsOfType("turn.started").length, 2, "the long turn ended before the messages were queued");
  return inputs;
}

/** What became of the messages behind the long turn, in order of the events. */
function fatesOf(run: ScenarioRun): { readonly started: string[]; readonly returned: string[] } {
  return {
    started: run.eventsOfType("turn.started").flatMap(({ input }, index) => (index > 1 ? [input] : [])),
    returned: run.eventsOfType("message.returned").map(({ text }) => text),
  };
}

export const queueAtInterrupt: Scenario = {
  name: "queued messages at an interrupt",
  needs: ["queue", "interrupt"],
  clauses: ["turn:kept"],
  async execute(run, verify) {
    const [, ...queued] = await startBusyTurn(run, "The second.", "The third.");
    await run.session.interrupt();
    await run.waitForEvent("turn.ended", 4);
    await verify("turn:kept", () => {
      assert.deepEqual(fatesOf(run), { started: queued, returned: [] });
      const outcomes = run.eventsOfType("turn.ended").map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ["completed", "interrupted", "completed", "completed"]);
    });
  },
};

export const queueAtPause: Scenario = {
  name: "queued message at a pause",
  needs: ["queue"],
  clauses: ["turn:kept"],
  async execute(run, verify) {
    const [, ...queued] = await startBusyTurn(run, "The second.");
    await run.session.pause();
    await run.waitForEvent("session.paused");
    await verify("turn:kept", () => assert.deepEqual(fatesOf(run), { started: [], returned: [] }));
    await run.resume();
    await run.waitForEvent("turn.ended", 3);
    await verify("turn:kept", () => {
      assert.deepEqual(fatesOf(run), { started: queued, returned: [] });
      assert.equal(run.eventsOfType("turn.ended")[2]?.outcome, "completed");
    });
  },
};

export const queueAtStop: Scenario = {
  name: "queued messages at a stop",
  needs: ["queue"],
  clauses: ["turn:kept"],
  async execute(run, verify) {
    const [, ...queued] = await startBusyTurn(run, "The second.", "The third.");
    await run.end();
    await verify("turn:kept", () => {
      assert.deepEqual(fatesOf(run), { started: [], returned: queued });
      assert.equal(run.eventsOfType("turn.started").length, 2);
    });
  },
};
