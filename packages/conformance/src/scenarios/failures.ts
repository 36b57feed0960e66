import assert from "node:assert/strict";
import { FairleadError, type Event } from "@fairlead/contract";
import { listSessionProcesses } from "../session-processes.ts";
import type { Scenario } from "../scenario.ts";
import { waitUntilModelResponds, type ScenarioRun } from "../scenario-run.ts";
import type { FailureCase } from "../test-bench.ts";

/** Creates the scenario for one failure case of a test bench. */
export function createFailureScenario(failure: FailureCase, turnTimeout: number): Scenario {
  return {
    name: `failure: ${failure.name}`,
    needs: [],
    clauses: ["error:category", "error:deadline", "turn:outcome"],
    async execute(run, verify) {
      const session = await run.start({ settings: failure.settings });
      await using _ = (await failure.arrange?.()) ?? { [Symbol.asyncDispose]: async () => {} };
      await session.send(failure.prompt);
      const ended = await run.waitForEvent("turn.ended");
      const elapsed = measureTurn(run);
      await verify("error:category", () => {
        assert.deepEqual(
          run.eventsOfType("error.raised").map((error) => error.category),
          [failure.category],
        );
      });
      await verify("turn:outcome", () => assert.equal(ended.outcome, "failed"));
      await verify("error:deadline", () => assert.ok(elapsed < turnTimeout, `the turn took ${Math.round(elapsed)} ms`));
    },
  };
}

/**
 * Measures the only turn in milliseconds, without the start of a program that lives for the session. How long that start
 * takes depends on the machine: a program that computes for 5 s to start took 17 s beside three others on two cores.
 */
function measureTurn(run: ScenarioRun): number {
  const timeOf = (event: Event | undefined): number => Date.parse(event?.occurredAt ?? "");
  const startedAt = timeOf(run.events.find(({ body }) => body.type === "turn.started"));
  const endedAt = timeOf(run.events.find(({ body }) => body.type === "turn.ended"));
  const identified = run.events.find(
    ({ body }) => body.type === "session.changed" && body.agentSessionId !== undefined,
  );
  const countsStart = run.processLifetime !== "session" || identified === undefined;
  return endedAt - (countsStart ? startedAt : Math.max(startedAt, timeOf(identified)));
}

export const processKilled: Scenario = {
  name: "process killed",
  needs: ["interrupt"],
  clauses: ["error:death", "session:last"],
  async execute(run, verify) {
    const session = await run.start();
    const words = "one two three four five six seven";
    await waitUntilModelResponds(run, await run.runSteps({ text: words, chunks: 7, chunkDelay: 1000 }));
    const sessionProcesses = listSessionProcesses(session.id);
    const rootProcess = sessionProcesses.find(({ parent }) => !sessionProcesses.some(({ pid }) => pid === parent));
    assert.ok(rootProcess, "the agent's process was not found");
    process.kill(rootProcess.pid, "SIGKILL");
    await run.waitForEvent("turn.ended");
    await verify("error:death", () => {
      const category = run.eventsOfType("error.raised")[0]?.category;
      // For the shell adapter, the killed process is the command.
      assert.ok(
        category === "agent-died" || category === "command-failed",
        `the first error must be agent-died, or command-failed if the process is the command; it is ${category ?? "missing"}`,
      );
      assert.equal(run.eventsOfType("turn.ended")[0]?.outcome, "failed");
    });
    // A session with one process per turn stays open: the next turn launches another process.
    if (run.processLifetime === "session") await run.waitForEvent("session.ended");
    else await run.end();
    await verify("session:last", () => {
      assert.equal(run.events.at(-1)?.body.type, "session.ended");
      assert.deepEqual(listSessionProcesses(session.id), []);
    });
  },
};

export const badSettings: Scenario = {
  name: "bad settings",
  needs: [],
  clauses: ["settings:refused"],
  async execute(run, verify) {
    const rejection = await run.start({ settings: run.bench.badSettings }).catch((error: unknown) => error);
    await verify("settings:refused", async () => {
      assert.ok(FairleadError.is(rejection, "invalid-settings"), "the runtime accepted the settings");
      for await (const _ of run.runtime.list()) assert.fail("a session was started");
    });
  },
};

export const probe: Scenario = {
  name: "probe",
  needs: [],
  clauses: ["probe:clear"],
  async execute(run, verify) {
    await verify("probe:clear", async () => {
      const { id } = run.adapter.manifest;
      const probeResult = await run.runtime.probe(id);
      assert.ok(probeResult.installed, probeResult.problems.join(" "));
      assert.match(probeResult.version ?? "", /\d/);
      const emptyHost = { find: async () => null, run: async () => ({ code: 1, stdout: "", stderr: "" }) };
      const missing = await run.adapter.probe({ ...emptyHost, hasVariable: () => false, exists: async () => false });
      assert.equal(missing.installed, false);
      assert.ok((missing.problems[0] ?? "").length > 10, "the probe does not say what is missing");
    });
  },
};
