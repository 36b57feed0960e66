import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { FairleadError } from "@fairlead/contract";
import { processesOf } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

export const messageDuringTurn: Scenario = {
  name: "message sent during a turn",
  needs: ["queue"],
  cites: ["turn:queue"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    const first = await rehearsal.play({ text: "one two three four five six", chunks: 6, chunkDelay: 100 });
    await rehearsal.the("turn.started");
    const second = await rehearsal.play({ text: "And this is the second." });
    await rehearsal.the("turn.ended", 2);
    await verifies("turn:queue", () => {
      const turns = rehearsal.all("turn.started").map((turn) => turn.input);
      assert.deepEqual(turns, [first, second]);
      const order = rehearsal.events.map(({ body }) => body.type).filter((type) => type.startsWith("turn."));
      assert.deepEqual(order, ["turn.started", "turn.ended", "turn.started", "turn.ended"]);
      assert.equal(rehearsal.all("text.ended").at(-1)?.text.trimEnd(), "And this is the second.");
    });
  },
};

const aside = "Mention the marmalade, too.";

export const steered: Scenario = {
  name: "something said into a turn",
  needs: ["steer", "tools"],
  cites: ["turn:steer"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start({ mode: "full-auto" });
    await verifies("turn:steer", async () => {
      const early = await session.steer(aside).catch((error: unknown) => error);
      assert.ok(FairleadError.is(early, "no-open-turn"), "it was taken without a turn");
    });
    await rehearsal.play({ acts: [{ run: "sleep 1.5" }] }, { text: "one two three", chunks: 3, chunkDelay: 100 });
    await rehearsal.the("tool.started");
    await session.steer(aside);
    const taken = await rehearsal.the("turn.steered");
    const ended = await rehearsal.the("turn.ended");
    await verifies("turn:steer", async () => {
      assert.equal(taken.text, aside);
      assert.deepEqual([rehearsal.all("turn.started").length, ended.outcome], [1, "completed"]);
      assert.ok((await rehearsal.stage.context?.())?.includes(aside), "the model was not shown it");
    });
  },
};

export const resumed: Scenario = {
  name: "resume in a new process",
  needs: ["resume"],
  cites: ["resume:native", "resume:proven"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const before = await rehearsal.play({ text: "The word is heliotrope." });
    await rehearsal.the("turn.ended");
    const [agent] = processesOf(session.id);
    await session.pause();
    await rehearsal.the("session.paused");
    await rehearsal.resume();
    await rehearsal.play({ text: "Resumed." });
    const outcome = await rehearsal.the("session.resumed");
    await rehearsal.the("turn.ended", 2);
    await verifies("resume:native", async () => {
      assert.equal(outcome.outcome, "native");
      const ids = rehearsal.all("session.changed").flatMap((changed) => changed.agentSessionId ?? []);
      assert.equal(new Set([...ids, outcome.agentSessionId]).size, 1);
      assert.ok(!processesOf(session.id).some(({ pid }) => pid === agent?.pid), "it is the same process");
      const context = await rehearsal.stage.context?.();
      assert.ok(context?.includes(before.slice(0, 20)), "the model was not shown what was said before");
      assert.equal(rehearsal.all("text.ended").at(-1)?.text, "Resumed.");
    });
    await verifies("resume:proven", async () => {
      if (rehearsal.adapter.transcript === undefined) return;
      const found = (): { bytes: number; extends: boolean }[] =>
        rehearsal.all("session.changed").flatMap((changed) => changed.transcript ?? []);
      await rehearsal.until(() => found().length >= 2, "a fingerprint before and after");
      const [before, after] = found();
      assert.ok(
        before && after && after.extends && after.bytes > before.bytes,
        `it did not go on from what was there: ${JSON.stringify(found())}`,
      );
    });
  },
};

export const continued: Scenario = {
  name: "an ended session continued",
  needs: ["resume"],
  cites: ["resume:native"],
  async perform(rehearsal, verifies) {
    const first = await rehearsal.start();
    const before = await rehearsal.play({ text: "The word is heliotrope." });
    await rehearsal.the("turn.ended");
    await rehearsal.end();
    await rehearsal.resume();
    await rehearsal.play({ text: "And on." });
    const outcome = await rehearsal.the("session.resumed");
    await rehearsal.the("turn.ended");
    await verifies("resume:native", async () => {
      const [started] = rehearsal.all("session.started");
      assert.deepEqual(started?.continues, {
        session: first.id,
        agentSessionId: outcome.agentSessionId,
        outcome: "native",
      });
      assert.equal(outcome.outcome, "native");
      const context = await rehearsal.stage.context?.();
      assert.ok(context?.includes(before.slice(0, 20)), "the model was not shown what was said before");
    });
  },
};

export const resumeUnknown: Scenario = {
  name: "resume of an unknown conversation",
  needs: ["resume"],
  cites: ["resume:unknown"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start({
      continues: { session: "nobody", agentSessionId: randomUUID(), outcome: "native" },
    });
    const prompt = rehearsal.stage.prompt([{ text: "A fresh start." }], rehearsal.workspace) ?? "";
    await session.send(prompt).catch(() => {}); // it may have ended already
    await rehearsal.the("error.raised");
    // What is launched for each turn stays, and says the same to every message.
    if (rehearsal.life === "turn") await rehearsal.end();
    const ended = await rehearsal.the("session.ended");
    await verifies("resume:unknown", () => {
      assert.equal(ended.reason, rehearsal.life === "turn" ? "stopped" : "failed");
      assert.equal(rehearsal.all("error.raised")[0]?.category, "session-not-found");
      assert.equal(rehearsal.all("text.ended").length, 0);
    });
  },
};

export const maxTurns: Scenario = {
  name: "limit of steps",
  needs: ["max-turns"],
  cites: ["turn:limit"],
  async perform(rehearsal, verifies) {
    await rehearsal.start({ settings: { maxTurns: 1 }, mode: "full-auto" });
    await rehearsal.play({ acts: [{ run: "echo one" }] }, { text: "Never said." });
    const ended = await rehearsal.the("turn.ended");
    await verifies("turn:limit", () => {
      assert.equal(ended.outcome, "limited");
      assert.equal(rehearsal.all("text.ended").length, 0);
    });
  },
};

export const systemPrompt: Scenario = {
  name: "system prompt",
  needs: ["system-prompt"],
  cites: ["prompt:system"],
  async perform(rehearsal, verifies) {
    await rehearsal.start({ settings: { systemPrompt: "Always speak of marmalade." } });
    await rehearsal.play({ text: "Marmalade." });
    await rehearsal.the("turn.ended");
    await verifies("prompt:system", async () => {
      assert.match((await rehearsal.stage.context?.()) ?? "", /Always speak of marmalade\./);
    });
  },
};
