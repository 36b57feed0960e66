import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { ModelStep } from "../stage.ts";
import type { Scenario } from "../scenario.ts";

const writeNote: ModelStep = { acts: [{ write: { path: "note.txt", content: "asked\n" } }] };

export const approvalAllowed: Scenario = {
  name: "approval allowed",
  needs: ["approvals"],
  cites: ["decision:first", "decision:allow", "decision:once"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const file = join(rehearsal.workspace, "note.txt");
    await rehearsal.play(writeNote, { text: "Done." });
    const asked = await rehearsal.the("decision.requested");
    const before = existsSync(file);
    await session.answer(asked.decision, { type: "allow" });
    const second = await session
      .answer(asked.decision, { type: "deny", message: "", interrupt: false })
      .catch((e: unknown) => e);
    await rehearsal.the("turn.ended");
    await verifies("decision:first", () => {
      assert.equal(before, false);
      const order = rehearsal.events.map(({ body }) => body.type);
      assert.ok(order.indexOf("decision.resolved") < order.indexOf("tool.started"));
      assert.equal(asked.kind, "approval");
      assert.equal(asked.call, rehearsal.all("tool.requested")[0]?.call);
    });
    await verifies("decision:allow", () => {
      assert.equal(readFileSync(file, "utf8"), "asked\n");
      const { outcome, by } = rehearsal.all("decision.resolved")[0] ?? {};
      assert.deepEqual([outcome, by], ["allowed", "user"]);
    });
    await verifies("decision:once", () => {
      assert.ok(FairleadError.is(second, "decision-not-open"), "a second answer was taken");
      assert.equal(rehearsal.all("decision.resolved").length, 1);
    });
  },
};

export const approvalDenied: Scenario = {
  name: "approval denied",
  needs: ["approvals"],
  cites: ["decision:deny", "decision:told"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    await rehearsal.play(writeNote, { text: "Then not." });
    const asked = await rehearsal.the("decision.requested");
    await session.answer(asked.decision, { type: "deny", message: "Not that file.", interrupt: false });
    const ended = await rehearsal.the("turn.ended");
    await verifies("decision:deny", () => {
      assert.equal(existsSync(join(rehearsal.workspace, "note.txt")), false);
      const tool = rehearsal.all("tool.ended")[0];
      assert.deepEqual([tool?.ok, tool?.reason], [false, "denied"]);
      assert.equal(rehearsal.all("tool.started").length, 0);
    });
    await verifies("decision:told", () => {
      assert.match(rehearsal.all("tool.ended")[0]?.output ?? "", /Not that file\./);
      assert.equal(rehearsal.all("text.ended").at(-1)?.text, "Then not.");
      assert.equal(ended.outcome, "completed");
    });
  },
};

export const approvalEdited: Scenario = {
  name: "approval with edited input",
  needs: ["edited-approvals"],
  cites: ["decision:edit"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    await rehearsal.play(writeNote, { text: "Done." });
    const asked = await rehearsal.the("decision.requested");
    const input = JSON.parse(JSON.stringify(asked.input).replace("asked", "edited")) as unknown;
    await session.answer(asked.decision, { type: "allow", input });
    await rehearsal.the("turn.ended");
    await verifies("decision:edit", () => {
      assert.equal(readFileSync(join(rehearsal.workspace, "note.txt"), "utf8"), "edited\n");
      assert.deepEqual(rehearsal.all("decision.resolved")[0]?.input, input);
    });
  },
};

export const approvalStops: Scenario = {
  name: "approval denied with interrupt",
  needs: ["approvals"],
  cites: ["decision:stop"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    await rehearsal.play(writeNote, { text: "Never said." });
    const asked = await rehearsal.the("decision.requested");
    await session.answer(asked.decision, { type: "deny", message: "Stop here.", interrupt: true });
    const ended = await rehearsal.the("turn.ended");
    await verifies("decision:stop", () => {
      assert.equal(ended.outcome, "interrupted");
      assert.equal(existsSync(join(rehearsal.workspace, "note.txt")), false);
      assert.equal(rehearsal.all("text.ended").length, 0);
    });
  },
};

export const question: Scenario = {
  name: "question with options",
  needs: ["questions"],
  cites: ["decision:question"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    const ask = { text: "Which colour?", options: [{ label: "Blue" }, { label: "Red" }], several: false };
    await rehearsal.play({ acts: [{ ask }] }, { text: "As you wish." });
    const asked = await rehearsal.the("decision.requested");
    await session.answer(asked.decision, { type: "choose", answers: { [ask.text]: "Red" } });
    await rehearsal.the("turn.ended");
    await verifies("decision:question", () => {
      assert.equal(asked.kind, "question");
      assert.equal(asked.questions?.[0]?.text, ask.text);
      assert.deepEqual(
        asked.questions?.[0]?.options.map((option) => option.label),
        ["Blue", "Red"],
      );
      assert.equal(rehearsal.all("decision.resolved")[0]?.outcome, "answered");
      assert.match(rehearsal.all("tool.ended")[0]?.output ?? "", /Red/);
      assert.equal(rehearsal.all("text.ended").at(-1)?.text, "As you wish.");
    });
  },
};

export const fullAuto: Scenario = {
  name: "approval answered by the mode",
  needs: ["approvals"],
  cites: ["decision:allow"],
  async perform(rehearsal, verifies) {
    await rehearsal.start({ mode: "full-auto" });
    await rehearsal.play(writeNote, { text: "Done." });
    await rehearsal.the("turn.ended");
    await verifies("decision:allow", () => {
      const { outcome, by } = rehearsal.all("decision.resolved")[0] ?? {};
      assert.deepEqual([outcome, by], ["allowed", "mode"]);
      assert.ok(existsSync(join(rehearsal.workspace, "note.txt")));
    });
  },
};
