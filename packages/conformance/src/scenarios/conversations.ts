import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { FairleadError } from "@fairlead/contract";
import { listSessionProcesses } from "../session-processes.ts";
import type { Scenario } from "../scenario.ts";

export const messageDuringTurn: Scenario = {
  name: "message sent during a turn",
  needs: ["queue"],
  clauses: ["turn:queue"],
  async execute(run, verify) {
    await run.start();
    const first = await run.runSteps({ text: "one two three four five six", chunks: 6, chunkDelay: 100 });
    await run.waitForEvent("turn.started");
    const second = await run.runSteps({ text: "And this is the second." });
    await run.waitForEvent("turn.ended", 2);
    await verify("turn:queue", () => {
      const turns = run.eventsOfType("turn.started").map((turn) => turn.input);
      assert.deepEqual(turns, [first, second]);
      const order = run.events.map(({ body }) => body.type).filter((type) => type.startsWith("turn."));
      assert.deepEqual(order, ["turn.started", "turn.ended", "turn.started", "turn.ended"]);
      assert.equal(run.eventsOfType("text.ended").at(-1)?.text.trimEnd(), "And this is the second.");
    });
  },
};

const steeringText = "Mention the marmalade, too.";

export const steerDuringTurn: Scenario = {
  name: "something said into a turn",
  needs: ["steer", "tools"],
  clauses: ["turn:steer"],
  async execute(run, verify) {
    const session = await run.start({ mode: "full-auto" });
    await verify("turn:steer", async () => {
      const earlyError = await session.steer(steeringText).catch((error: unknown) => error);
      assert.ok(
        FairleadError.is(earlyError, "no-open-turn"),
        "the session accepted a steering message without an open turn",
      );
    });
    await run.runSteps({ actions: [{ run: "sleep 1.5" }] }, { text: "one two three", chunks: 3, chunkDelay: 100 });
    await run.waitForEvent("tool.started");
    await session.steer(steeringText);
    const steeredEvent = await run.waitForEvent("turn.steered");
    const ended = await run.waitForEvent("turn.ended");
    await verify("turn:steer", async () => {
      assert.equal(steeredEvent.text, steeringText);
      assert.deepEqual([run.eventsOfType("turn.started").length, ended.outcome], [1, "completed"]);
      assert.ok(
        (await run.bench.readModelContext?.())?.includes(steeringText),
        "the model request does not contain the steering message",
      );
    });
  },
};

export const resumeInNewProcess: Scenario = {
  name: "resume in a new process",
  needs: ["resume"],
  clauses: ["resume:native", "resume:proven"],
  async execute(run, verify) {
    const session = await run.start();
    const before = await run.runSteps({ text: "The word is heliotrope." });
    await run.waitForEvent("turn.ended");
    const [agentProcess] = listSessionProcesses(session.id);
    await session.pause();
    await run.waitForEvent("session.paused");
    await run.resume();
    await run.runSteps({ text: "Resumed." });
    const outcome = await run.waitForEvent("session.resumed");
    await run.waitForEvent("turn.ended", 2);
    await verify("resume:native", async () => {
      assert.equal(outcome.outcome, "native");
      const ids = run.eventsOfType("session.changed").flatMap((changed) => changed.agentSessionId ?? []);
      assert.equal(new Set([...ids, outcome.agentSessionId]).size, 1);
      assert.ok(
        !listSessionProcesses(session.id).some(({ pid }) => pid === agentProcess?.pid),
        "the agent still runs in the same process",
      );
      const context = await run.bench.readModelContext?.();
      assert.ok(context?.includes(before.slice(0, 20)), "the model request does not contain the earlier message");
      assert.equal(run.eventsOfType("text.ended").at(-1)?.text, "Resumed.");
    });
    await verify("resume:proven", async () => {
      if (run.adapter.transcriptPath === undefined) return;
      const fingerprints = (): { bytes: number; extends: boolean }[] =>
        run.eventsOfType("session.changed").flatMap((changed) => changed.transcript ?? []);
      await run.waitUntil(() => fingerprints().length >= 2, "a transcript fingerprint before and after the resume");
      const [fingerprintBefore, fingerprintAfter] = fingerprints();
      assert.ok(
        fingerprintBefore && fingerprintAfter?.extends && fingerprintAfter.bytes > fingerprintBefore.bytes,
        `the transcript does not extend the earlier one: ${JSON.stringify(fingerprints())}`,
      );
    });
  },
};

export const continueEndedSession: Scenario = {
  name: "an ended session continued",
  needs: ["resume"],
  clauses: ["resume:native"],
  async execute(run, verify) {
    const first = await run.start();
    const before = await run.runSteps({ text: "The word is heliotrope." });
    await run.waitForEvent("turn.ended");
    await run.end();
    await run.resume();
    await run.runSteps({ text: "And on." });
    const outcome = await run.waitForEvent("session.resumed");
    await run.waitForEvent("turn.ended");
    await verify("resume:native", async () => {
      const [started] = run.eventsOfType("session.started");
      const { after, ...continues } = started?.continues ?? {};
      assert.ok(after !== undefined && after > 0, "the session does not name the last event that it continues");
      assert.deepEqual(continues, {
        session: first.id,
        agentSessionId: outcome.agentSessionId,
        outcome: "native",
      });
      assert.equal(outcome.outcome, "native");
      const context = await run.bench.readModelContext?.();
      assert.ok(context?.includes(before.slice(0, 20)), "the model request does not contain the earlier message");
    });
  },
};

export const resumeUnknown: Scenario = {
  name: "resume of an unknown conversation",
  needs: ["resume"],
  clauses: ["resume:unknown"],
  async execute(run, verify) {
    const session = await run.start({
      continues: { session: "unknown", agentSessionId: randomUUID(), outcome: "native" },
    });
    const prompt = run.bench.buildPrompt([{ text: "A fresh start." }], run.workspace) ?? "";
    await session.send(prompt).catch(() => {}); // The session may have ended already.
    await run.waitForEvent("error.raised");
    // A session with one process per turn stays open and fails every message in the same way.
    if (run.processLifetime === "turn") await run.end();
    const ended = await run.waitForEvent("session.ended");
    await verify("resume:unknown", () => {
      assert.equal(ended.reason, run.processLifetime === "turn" ? "stopped" : "failed");
      assert.equal(run.eventsOfType("error.raised")[0]?.category, "session-not-found");
      assert.equal(run.eventsOfType("text.ended").length, 0);
    });
  },
};

export const maxTurns: Scenario = {
  name: "limit of steps",
  needs: ["max-turns"],
  clauses: ["turn:limit"],
  async execute(run, verify) {
    await run.start({ settings: { maxTurns: 1 }, mode: "full-auto" });
    await run.runSteps({ actions: [{ run: "echo one" }] }, { text: "Never said." });
    const ended = await run.waitForEvent("turn.ended");
    await verify("turn:limit", () => {
      assert.equal(ended.outcome, "limited");
      assert.equal(run.eventsOfType("text.ended").length, 0);
    });
  },
};

export const systemPromptReachesModel: Scenario = {
  name: "system prompt",
  needs: ["system-prompt"],
  clauses: ["prompt:system"],
  async execute(run, verify) {
    await run.start({ settings: { systemPrompt: "Always speak of marmalade." } });
    await run.runSteps({ text: "Marmalade." });
    await run.waitForEvent("turn.ended");
    await verify("prompt:system", async () => {
      assert.match((await run.bench.readModelContext?.()) ?? "", /Always speak of marmalade\./);
    });
  },
};
