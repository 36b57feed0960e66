import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";
import { waitUntilModelResponds, type ScenarioRun } from "../scenario-run.ts";

/** Starts a long turn and queues messages behind it. Returns the inputs of all turns in order. */
async function startBusyTurn(run: ScenarioRun, ...texts: string[]): Promise<string[]> {
  await run.start();
  const words = "one two three four five six seven eight nine ten";
  const inputs = [await run.runSteps({ text: words, chunks: 10, chunkDelay: 500 })];
  await waitUntilModelResponds(run, inputs[0] ?? "");
  for (const text of texts) inputs.push(await run.runSteps({ text }));
  assert.equal(run.eventsOfType("turn.started").length, 1, "the first turn ended before the messages were queued");
  return inputs;
}

/** What became of the messages after the first, in order of the events. */
function fatesOf(run: ScenarioRun): { readonly started: string[]; readonly returned: string[] } {
  return {
    started: run.eventsOfType("turn.started").flatMap(({ input }, index) => (index > 0 ? [input] : [])),
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
    await run.waitForEvent("turn.ended", 3);
    await verify("turn:kept", () => {
      assert.deepEqual(fatesOf(run), { started: queued, returned: [] });
      const outcomes = run.eventsOfType("turn.ended").map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ["interrupted", "completed", "completed"]);
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
    await run.waitForEvent("turn.ended", 2);
    await verify("turn:kept", () => {
      assert.deepEqual(fatesOf(run), { started: queued, returned: [] });
      assert.equal(run.eventsOfType("turn.ended")[1]?.outcome, "completed");
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
      assert.equal(run.eventsOfType("turn.started").length, 1);
    });
  },
};
