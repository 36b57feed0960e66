import assert from "node:assert/strict";
import { processesOf } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

const words = "Hello there. All is well.";

export const plainTurn: Scenario = {
  name: "plain turn",
  needs: [],
  cites: ["session:first", "session:last", "session:stop", "turn:input", "turn:outcome", "text:whole"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const prompt = await rehearsal.play({ text: words });
    const ended = await rehearsal.the("turn.ended");
    await rehearsal.end();
    const { events } = rehearsal;
    await verifies("session:first", () => {
      assert.equal(rehearsal.all("session.started").length, 1);
      const first = events[0]?.body;
      assert.ok(first?.type === "session.started");
      assert.equal(first.agent, rehearsal.adapter.manifest.id);
      assert.equal(first.adapterVersion, rehearsal.adapter.manifest.version);
      assert.equal(first.workspace, rehearsal.workspace);
    });
    await verifies("turn:input", () => assert.equal(rehearsal.all("turn.started")[0]?.input, prompt));
    await verifies("turn:outcome", () => assert.equal(ended.outcome, "completed"));
    await verifies("text:whole", () => assert.equal(rehearsal.all("text.ended")[0]?.text.trimEnd(), words));
    await verifies("session:last", () => {
      assert.equal(rehearsal.all("session.ended").length, 1);
      assert.deepEqual(events.at(-1)?.body.type, "session.ended");
      assert.equal(rehearsal.all("session.ended")[0]?.reason, "stopped");
    });
    await verifies("session:stop", () => assert.deepEqual(processesOf(session.id), []));
  },
};

export const streaming: Scenario = {
  name: "streamed text",
  needs: ["streaming"],
  cites: ["text:deltas"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    await rehearsal.play({ text: words, chunks: 5, chunkDelay: 20 });
    await rehearsal.the("turn.ended");
    await verifies("text:deltas", () => {
      const deltas = rehearsal.deltas("text.delta");
      assert.ok(deltas.length > 0, "there are no deltas");
      assert.equal(deltas.map((delta) => delta.text).join(""), rehearsal.all("text.ended")[0]?.text);
    });
  },
};

export const reasoning: Scenario = {
  name: "reasoning",
  needs: ["reasoning"],
  cites: ["reasoning:whole"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    await rehearsal.play({ think: "First this, then that.", text: words });
    await rehearsal.the("turn.ended");
    await verifies("reasoning:whole", () => {
      assert.equal(rehearsal.all("reasoning.ended")[0]?.text, "First this, then that.");
      assert.equal(rehearsal.all("text.ended")[0]?.text, words);
    });
  },
};

export const identity: Scenario = {
  name: "who is speaking",
  needs: ["resume"],
  cites: ["session:identified"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    await rehearsal.play({ text: words });
    await rehearsal.the("turn.ended");
    await verifies("session:identified", () => {
      assert.ok(rehearsal.all("session.changed").some((changed) => (changed.agentSessionId ?? "") !== ""));
    });
  },
};
