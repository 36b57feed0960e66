import assert from "node:assert/strict";
import { maxTextLength } from "@fairlead/contract";
import { listSessionProcesses } from "../session-processes.ts";
import type { Scenario } from "../scenario.ts";

const replyText = "Hello there. All is well.";

export const plainTurn: Scenario = {
  name: "plain turn",
  needs: [],
  clauses: ["session:first", "session:last", "session:stop", "turn:input", "turn:outcome", "text:whole"],
  async execute(run, verify) {
    const session = await run.start();
    const prompt = await run.runSteps({ text: replyText });
    const ended = await run.waitForEvent("turn.ended");
    await run.end();
    const { events } = run;
    await verify("session:first", () => {
      assert.equal(run.eventsOfType("session.started").length, 1);
      const first = events[0]?.body;
      assert.ok(first?.type === "session.started");
      assert.equal(first.agent, run.adapter.manifest.id);
      assert.equal(first.adapterVersion, run.adapter.manifest.version);
      assert.equal(first.workspace, run.workspace);
    });
    await verify("turn:input", () => assert.equal(run.eventsOfType("turn.started")[0]?.input, prompt));
    await verify("turn:outcome", () => assert.equal(ended.outcome, "completed"));
    await verify("text:whole", () => assert.equal(run.eventsOfType("text.ended")[0]?.text.trimEnd(), replyText));
    await verify("session:last", () => {
      assert.equal(run.eventsOfType("session.ended").length, 1);
      assert.deepEqual(events.at(-1)?.body.type, "session.ended");
      assert.equal(run.eventsOfType("session.ended")[0]?.reason, "stopped");
    });
    await verify("session:stop", () => assert.deepEqual(listSessionProcesses(session.id), []));
  },
};

/** A line whose length does not divide the length of a part, with a character that must not be split. */
const longTextLine = `${"One of many 😀. ".repeat(300)}.\n`;
const longTextLines = 503;

export const longText: Scenario = {
  name: "text in parts",
  needs: [],
  clauses: ["text:whole"],
  unrecorded: true,
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ text: longTextLine, repeat: longTextLines, chunks: 5 });
    await run.waitForEvent("turn.ended");
    await verify("text:whole", () => {
      const parts = run.eventsOfType("text.ended");
      const text = parts.map((part) => part.text).join("");
      // A comparison by assert.equal would print megabytes.
      assert.ok(text === longTextLine.repeat(longTextLines), `the parts have ${text.length} characters`);
      assert.deepEqual(
        parts.map(({ part, last }) => [part, last]),
        parts.map((_, index) => [index + 1, index === parts.length - 1 ? true : undefined]),
      );
      assert.ok(parts.length > 1 && parts.every((part) => part.text.length <= maxTextLength));
      assert.ok(
        parts.every((part) => part.text.isWellFormed()),
        "a character is split",
      );
    });
  },
};

export const streaming: Scenario = {
  name: "streamed text",
  needs: ["streaming"],
  clauses: ["text:deltas"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ text: replyText, chunks: 5, chunkDelay: 20 });
    await run.waitForEvent("turn.ended");
    await verify("text:deltas", () => {
      const deltas = run.deltasOfType("text.delta");
      assert.ok(deltas.length > 0, "the session emitted no deltas");
      assert.equal(deltas.map((delta) => delta.text).join(""), run.eventsOfType("text.ended")[0]?.text);
    });
  },
};

export const reasoning: Scenario = {
  name: "reasoning",
  needs: ["reasoning"],
  clauses: ["reasoning:whole"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ think: "First this, then that.", text: replyText });
    await run.waitForEvent("turn.ended");
    await verify("reasoning:whole", () => {
      assert.equal(run.eventsOfType("reasoning.ended")[0]?.text, "First this, then that.");
      assert.equal(run.eventsOfType("text.ended")[0]?.text, replyText);
    });
  },
};

export const agentSessionIdReported: Scenario = {
  name: "who is speaking",
  needs: ["resume"],
  clauses: ["session:identified"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ text: replyText });
    await run.waitForEvent("turn.ended");
    await verify("session:identified", () => {
      assert.ok(run.eventsOfType("session.changed").some((changed) => (changed.agentSessionId ?? "") !== ""));
    });
  },
};
