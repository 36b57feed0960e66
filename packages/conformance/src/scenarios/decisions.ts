import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { ModelStep } from "../test-bench.ts";
import type { Scenario } from "../scenario.ts";
import { assertAction } from "./actions.ts";

const writeNote: ModelStep = { actions: [{ write: { path: "note.txt", content: "asked\n" } }] };

export const approvalAllowed: Scenario = {
  name: "approval allowed",
  needs: ["approvals"],
  clauses: ["decision:first", "decision:allow", "decision:once"],
  async execute(run, verify) {
    const session = await run.start();
    const file = join(run.workspace, "note.txt");
    await run.runSteps(writeNote, { text: "Done." });
    const request = await run.waitForEvent("decision.requested");
    const existedBefore = existsSync(file);
    await session.answer(request.decision, { type: "allow" });
    const secondAnswer = await session
      .answer(request.decision, { type: "deny", message: "", interrupt: false })
      .catch((error: unknown) => error);
    await run.waitForEvent("turn.ended");
    await verify("decision:first", () => {
      assert.equal(existedBefore, false);
      const order = run.events.map(({ body }) => body.type);
      assert.ok(order.indexOf("decision.resolved") < order.indexOf("tool.started"));
      assert.equal(request.kind, "approval");
      assert.equal(request.call, run.eventsOfType("tool.requested")[0]?.call);
    });
    await verify("decision:allow", () => {
      assert.equal(readFileSync(file, "utf8"), "asked\n");
      const { outcome, by } = run.eventsOfType("decision.resolved")[0] ?? {};
      assert.deepEqual([outcome, by], ["allowed", { kind: "person" }]);
    });
    await verify("decision:once", () => {
      assert.ok(FairleadError.is(secondAnswer, "decision-not-open"), "the session accepted a second answer");
      assert.equal(run.eventsOfType("decision.resolved").length, 1);
    });
  },
};

export const approvalDenied: Scenario = {
  name: "approval denied",
  needs: ["approvals"],
  clauses: ["decision:deny", "decision:told"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps(writeNote, { text: "Then not." });
    const request = await run.waitForEvent("decision.requested");
    const message = run.declares("told-denials") ? "Not that file." : "";
    await session.answer(request.decision, { type: "deny", message, interrupt: false });
    const ended = await run.waitForEvent("turn.ended");
    await verify("decision:deny", () => {
      assert.equal(existsSync(join(run.workspace, "note.txt")), false);
      const tool = run.eventsOfType("tool.ended")[0];
      assert.deepEqual([tool?.ok, tool?.reason], [false, "denied"]);
      assert.equal(run.eventsOfType("tool.started").length, 0);
    });
    await verify("decision:told", () => {
      assert.match(run.eventsOfType("tool.ended")[0]?.output ?? "", /Not that file\./);
      assert.equal(run.eventsOfType("text.ended").at(-1)?.text, "Then not.");
      assert.equal(ended.outcome, "completed");
    });
  },
};

export const approvalEdited: Scenario = {
  name: "approval with edited input",
  needs: ["edited-approvals"],
  clauses: ["decision:edit"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps(writeNote, { text: "Done." });
    const request = await run.waitForEvent("decision.requested");
    const input = JSON.parse(JSON.stringify(request.input).replace("asked", "edited")) as unknown;
    await session.answer(request.decision, { type: "allow", input });
    await run.waitForEvent("turn.ended");
    await verify("decision:edit", () => {
      assert.equal(readFileSync(join(run.workspace, "note.txt"), "utf8"), "edited\n");
      assert.deepEqual(run.eventsOfType("decision.resolved")[0]?.input, input);
    });
  },
};

export const editRefused: Scenario = {
  name: "edited input refused",
  needs: ["approvals"],
  lacks: ["edited-approvals"],
  clauses: ["decision:edit-refused"],
  async execute(run, verify) {
    const session = await run.start();
    const file = join(run.workspace, "note.txt");
    await run.runSteps(writeNote, { text: "Then not." });
    const { decision, input } = await run.waitForEvent("decision.requested");
    const recordCount = run.records.length;
    const edit = { type: "allow", input: { edited: input } } as const;
    const refusal = await session.answer(decision, edit).catch((error: unknown) => error);
    const secondRefusal = await session.answer(decision, edit).catch((error: unknown) => error);
    const recordsAfter = run.records.slice(recordCount);
    const resolvedByEdit = run.eventsOfType("decision.resolved").length;
    await session.answer(decision, { type: "deny", message: "", interrupt: false });
    await run.waitForEvent("turn.ended");
    await verify("decision:edit-refused", () => {
      for (const error of [refusal, secondRefusal])
        assert.ok(FairleadError.is(error, "not-supported"), "the session accepted an edited input");
      // The agent received nothing: the notes of the two commands are the only records.
      assert.deepEqual(
        recordsAfter.map(({ kind }) => kind).filter((kind) => kind !== "out" && kind !== "err"),
        ["note", "note"],
      );
      assert.equal(resolvedByEdit, 0);
      assert.deepEqual(
        run.eventsOfType("decision.resolved").map(({ outcome }) => outcome),
        ["denied"],
      );
      assert.equal(existsSync(file), false);
      assert.equal(run.eventsOfType("tool.started").length, 0);
    });
  },
};

export const approvalDeniedWithInterrupt: Scenario = {
  name: "approval denied with interrupt",
  needs: ["approvals"],
  clauses: ["decision:stop"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps(writeNote, { text: "Never said." });
    const request = await run.waitForEvent("decision.requested");
    const message = run.declares("told-denials") ? "Stop here." : "";
    await session.answer(request.decision, { type: "deny", message, interrupt: true });
    const ended = await run.waitForEvent("turn.ended");
    await verify("decision:stop", () => {
      assert.equal(ended.outcome, "interrupted");
      assert.equal(existsSync(join(run.workspace, "note.txt")), false);
      assert.equal(run.eventsOfType("text.ended").length, 0);
    });
  },
};

export const questionWithOptions: Scenario = {
  name: "question with options",
  needs: ["questions"],
  clauses: ["decision:question", "action:other"],
  async execute(run, verify) {
    const session = await run.start();
    const ask = { text: "Which color?", options: [{ label: "Blue" }, { label: "Red" }], multiSelect: false };
    await run.runSteps({ actions: [{ ask }] }, { text: "As you wish." });
    const request = await run.waitForEvent("decision.requested");
    await session.answer(request.decision, { type: "choose", answers: { [ask.text]: "Red" } });
    await run.waitForEvent("turn.ended");
    await verify("action:other", () => {
      assert.deepEqual(assertAction(run, "other"), { kind: "other" });
    });
    await verify("decision:question", () => {
      assert.equal(request.kind, "question");
      assert.equal(request.questions?.[0]?.text, ask.text);
      assert.deepEqual(
        request.questions?.[0]?.options.map((option) => option.label),
        ["Blue", "Red"],
      );
      assert.equal(run.eventsOfType("decision.resolved")[0]?.outcome, "answered");
      assert.match(run.eventsOfType("tool.ended")[0]?.output ?? "", /Red/);
      assert.equal(run.eventsOfType("text.ended").at(-1)?.text, "As you wish.");
    });
  },
};

export const approvalAnsweredByMode: Scenario = {
  name: "approval answered by the mode",
  needs: ["approvals"],
  clauses: ["decision:allow"],
  async execute(run, verify) {
    await run.start({ mode: "full-auto" });
    await run.runSteps(writeNote, { text: "Done." });
    await run.waitForEvent("turn.ended");
    await verify("decision:allow", () => {
      const { outcome, by } = run.eventsOfType("decision.resolved")[0] ?? {};
      assert.deepEqual([outcome, by], ["allowed", { kind: "mode" }]);
      assert.ok(existsSync(join(run.workspace, "note.txt")));
    });
  },
};
