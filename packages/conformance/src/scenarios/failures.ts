import assert from "node:assert/strict";
import { FairleadError } from "@fairlead/contract";
import { processesOf } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { speaking } from "../speaking.ts";
import type { Failure } from "../stage.ts";

/** One scenario for each way in which the stage can make the agent fail. */
export function failing(failure: Failure, patience: number): Scenario {
  return {
    name: `failure: ${failure.name}`,
    needs: [],
    cites: ["error:category", "error:deadline", "turn:outcome"],
    async perform(rehearsal, verifies) {
      const session = await rehearsal.start({ settings: failure.settings });
      await using _ = (await failure.arrange?.()) ?? { [Symbol.asyncDispose]: async () => {} };
      const before = performance.now();
      await session.send(failure.prompt);
      const ended = await rehearsal.the("turn.ended");
      const took = performance.now() - before;
      await verifies("error:category", () => {
        assert.deepEqual(
          rehearsal.all("error.raised").map((error) => error.category),
          [failure.category],
        );
      });
      await verifies("turn:outcome", () => assert.equal(ended.outcome, "failed"));
      await verifies("error:deadline", () => assert.ok(took < patience, `it took ${Math.round(took)} ms`));
    },
  };
}

export const death: Scenario = {
  name: "process killed",
  needs: ["interrupt"],
  cites: ["error:death", "session:last"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const words = "one two three four five six seven";
    await speaking(rehearsal, await rehearsal.play({ text: words, chunks: 7, chunkDelay: 1000 }));
    const family = processesOf(session.id);
    const eldest = family.find(({ parent }) => !family.some(({ pid }) => pid === parent));
    assert.ok(eldest, "its process was not found");
    process.kill(eldest.pid, "SIGKILL");
    await rehearsal.the("turn.ended");
    await verifies("error:death", () => {
      const category = rehearsal.all("error.raised")[0]?.category;
      // Of a shell it is the command that failed.
      assert.ok(category === "agent-died" || category === "command-failed", `it was called ${category}`);
      assert.equal(rehearsal.all("turn.ended")[0]?.outcome, "failed");
    });
    // What is launched for each turn can be launched again.
    if (rehearsal.life === "session") await rehearsal.the("session.ended");
    else await rehearsal.end();
    await verifies("session:last", () => {
      assert.equal(rehearsal.events.at(-1)?.body.type, "session.ended");
      assert.deepEqual(processesOf(session.id), []);
    });
  },
};

export const badSettings: Scenario = {
  name: "bad settings",
  needs: [],
  cites: ["settings:refused"],
  async perform(rehearsal, verifies) {
    const refusal = await rehearsal.start({ settings: rehearsal.stage.badSettings }).catch((error: unknown) => error);
    await verifies("settings:refused", async () => {
      assert.ok(FairleadError.is(refusal, "invalid-settings"), "they were accepted");
      for await (const _ of rehearsal.runtime.list()) assert.fail("a session was started");
    });
  },
};

export const probe: Scenario = {
  name: "probe",
  needs: [],
  cites: ["probe:clear"],
  async perform(rehearsal, verifies) {
    await verifies("probe:clear", async () => {
      const { id } = rehearsal.adapter.manifest;
      const finding = await rehearsal.runtime.probe(id);
      assert.ok(finding.installed, finding.problems.join(" "));
      assert.match(finding.version ?? "", /\d/);
      const nowhere = { find: async () => null, run: async () => ({ code: 1, stdout: "", stderr: "" }) };
      const lost = await rehearsal.adapter.probe({ ...nowhere, has: () => false, exists: async () => false });
      assert.equal(lost.installed, false);
      assert.ok((lost.problems[0] ?? "").length > 10, "it does not say what is missing");
    });
  },
};
