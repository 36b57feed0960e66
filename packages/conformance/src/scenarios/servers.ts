import assert from "node:assert/strict";
import { mcpToolName } from "@fairlead/contract";
import { JudgeServer, judgeServerResult } from "../judge-server.ts";
import type { Scenario } from "../scenario.ts";
import type { ScenarioRun } from "../scenario-run.ts";

const input = { parcel: "b-12" };

/** Makes the agent call the server's tool in a turn. */
async function callTool(run: ScenarioRun, { server, tool }: JudgeServer): Promise<void> {
  const prompt = run.bench.buildServerToolPrompt?.(server.name, tool, input);
  assert.ok(prompt, "the test bench has no prompt for a tool of a server");
  await run.session.send(prompt);
}

export const serverToolCalled: Scenario = {
  name: "tool of a server called",
  needs: ["mcp-servers"],
  clauses: ["server:called"],
  async execute(run, verify) {
    const judge = new JudgeServer(run.workspace);
    const name = mcpToolName(judge.server.name, judge.tool);
    const session = await run.start({ mcpServers: [judge.server] });
    await callTool(run, judge);
    const { decision, tool } = await run.waitForEvent("decision.requested");
    await verify("server:called", async () => {
      assert.deepEqual([tool, judge.calls], [name, []]);
      await session.answer(decision, { type: "allow" });
      await run.waitForEvent("turn.ended");
      assert.deepEqual(judge.calls, [{ tool: judge.tool, input, token: judge.token }]);
      const requested = run.eventsOfType("tool.requested").find((one) => one.name === name);
      const ended = run.eventsOfType("tool.ended").find(({ call }) => call === requested?.call);
      assert.deepEqual([ended?.ok, ended?.output.includes(judgeServerResult)], [true, true]);
      assert.equal(run.eventsOfType("turn.ended")[0]?.outcome, "completed");
      const context = await run.bench.readModelContext?.();
      assert.ok(context?.includes(judgeServerResult), "the model did not get the result");
      const spool = run.records.map(({ bytes }) => Buffer.from(bytes).toString()).join("\n");
      assert.ok(!spool.includes(judge.token), "the value of a variable is in the spool");
    });
  },
};

export const serverToolDenied: Scenario = {
  name: "tool of a server denied by a rule",
  needs: ["mcp-servers"],
  clauses: ["server:denied"],
  async execute(run, verify) {
    const judge = new JudgeServer(run.workspace);
    const name = mcpToolName(judge.server.name, judge.tool);
    const policy = { rules: [{ verdict: "deny", tool: name, because: "is out of order" } as const] };
    await run.start({ mcpServers: [judge.server], policy });
    await callTool(run, judge);
    await run.waitForEvent("turn.ended");
    await run.runSteps({ text: "Next." });
    await run.waitForEvent("turn.ended", 2);
    await verify("server:denied", () => {
      assert.deepEqual(judge.calls, []);
      const requested = run.eventsOfType("tool.requested").find((one) => one.name === name);
      const ended = run.eventsOfType("tool.ended").find(({ call }) => call === requested?.call);
      assert.deepEqual([ended?.ok, ended?.reason], [false, "denied"]);
      const resolved = run.eventsOfType("decision.resolved").find(({ outcome }) => outcome === "denied");
      assert.equal(resolved?.by.kind, "policy");
    });
  },
};

export const serverAfterResume: Scenario = {
  name: "tool of a server after a resume",
  needs: ["mcp-servers", "resume"],
  clauses: ["server:resumed"],
  async execute(run, verify) {
    const judge = new JudgeServer(run.workspace);
    const session = await run.start({ mcpServers: [judge.server] });
    await run.runSteps({ text: "First." });
    await run.waitForEvent("turn.ended");
    await session.pause();
    await run.waitForEvent("session.paused");
    await run.resume();
    await callTool(run, judge);
    const { decision } = await run.waitForEvent("decision.requested");
    await run.session.answer(decision, { type: "allow" });
    await run.waitForEvent("turn.ended", 2);
    await verify("server:resumed", () => {
      assert.deepEqual(judge.calls, [{ tool: judge.tool, input, token: judge.token }]);
    });
  },
};
