import assert from "node:assert/strict";
import { judgeToolResult } from "../judge-tool.ts";
import type { Scenario } from "../scenario.ts";
import type { ScenarioRun } from "../scenario-run.ts";

const input = { parcel: "b-12" };

/** Makes the agent call the judge's tool in a turn, and waits for the end of the turn. */
async function callTool(run: ScenarioRun, nth = 1): Promise<void> {
  const { bench, tool } = run;
  const prompt = bench.buildOfferedToolPrompt?.(tool.tool.offer.name, input);
  assert.ok(prompt, "the test bench has no prompt for an offered tool");
  await run.session.send(prompt);
  await run.waitForEvent("turn.ended", nth);
}

export const offeredToolCalled: Scenario = {
  name: "offered tool called",
  needs: ["host-tools"],
  clauses: ["offer:called"],
  async execute(run, verify) {
    const { offer } = run.tool.tool;
    await run.start({ tools: [offer] });
    await callTool(run);
    await verify("offer:called", async () => {
      assert.deepEqual(
        run.tool.runs.map((one) => one.input),
        [input],
      );
      const [requested] = run.eventsOfType("tool.requested").filter(({ name }) => name.includes(offer.name));
      const ended = run.eventsOfType("tool.ended").find(({ call }) => call === requested?.call);
      assert.deepEqual([ended?.ok, ended?.output.includes(judgeToolResult)], [true, true]);
      assert.equal(run.tool.runs[0]?.call, requested?.call);
      assert.equal(run.eventsOfType("turn.ended")[0]?.outcome, "completed");
      const context = await run.bench.readModelContext?.();
      if (run.bench.readServedUsage === undefined || context === undefined) return; // it has no model
      assert.ok(context.includes(judgeToolResult), "the model did not get the result");
      const { inputSchema, description } = offer;
      const told = run.bench.readOfferedTools?.() ?? [];
      assert.ok(
        told.some((one) => one.name.endsWith(offer.name) && one.description.startsWith(description)),
        `the model was not told of the tool: ${told.map(({ name }) => name).join(", ")}`,
      );
      const schema = told.find(({ name }) => name.endsWith(offer.name))?.schema as typeof inputSchema | undefined;
      assert.deepEqual(
        [schema?.["properties"], schema?.["required"]],
        [inputSchema["properties"], inputSchema["required"]],
      );
    });
  },
};

export const offeredToolDenied: Scenario = {
  name: "offered tool denied by a rule",
  needs: ["host-tools"],
  clauses: ["offer:denied"],
  async execute(run, verify) {
    const { offer } = run.tool.tool;
    const because = "is out of order";
    await run.start({ tools: [offer], policy: { rules: [{ verdict: "deny", tool: offer.name, because }] } });
    await callTool(run);
    await verify("offer:denied", async () => {
      assert.deepEqual(run.tool.runs, []);
      const [requested] = run.eventsOfType("tool.requested").filter(({ name }) => name.includes(offer.name));
      const ended = run.eventsOfType("tool.ended").find(({ call }) => call === requested?.call);
      assert.deepEqual([ended?.ok, ended?.reason, ended?.output.includes(because)], [false, "denied", true]);
      assert.equal(run.eventsOfType("turn.ended")[0]?.outcome, "completed");
      const [resolved] = run.eventsOfType("decision.resolved");
      assert.deepEqual([resolved?.outcome, resolved?.by.kind], ["denied", "policy"]);
    });
  },
};

export const offeredToolAfterResume: Scenario = {
  name: "offered tool after a resume",
  needs: ["host-tools", "resume"],
  clauses: ["offer:resumed"],
  async execute(run, verify) {
    const session = await run.start({ tools: [run.tool.tool.offer] });
    await callTool(run);
    await session.pause();
    await run.waitForEvent("session.paused");
    await run.resume();
    await callTool(run, 2);
    await verify("offer:resumed", () => {
      assert.deepEqual(
        run.tool.runs.map((one) => one.input),
        [input, input],
      );
      assert.equal(new Set(run.tool.runs.map(({ key }) => key)).size, 2);
    });
  },
};
