import { expect, test } from "vitest";
import type { EventOf } from "../agent-event.ts";
import type { DecisionReading } from "../events/decision.ts";
import { isAllowedByMode, needsPerson } from "./needs-person.ts";

type Request = Pick<EventOf<"decision.requested">, "kind" | "reading" | "action" | "category">;

const reading: DecisionReading = { verdict: "none", reason: "No rule is about it.", rule: null, commands: [] };
const edit: Request = { kind: "approval", action: { kind: "edit", paths: ["a.ts"] }, reading };
const reads: Request = { kind: "approval", action: { kind: "read", paths: ["a.ts"] }, reading };

test("accept-edits allows edits in which nothing was found, and nothing else", () => {
  expect(isAllowedByMode("accept-edits", edit)).toBe(true);
  expect(isAllowedByMode("accept-edits", { ...edit, category: "deps_add" })).toBe(false);
  expect(isAllowedByMode("accept-edits", { ...edit, action: { kind: "edit", incomplete: true } })).toBe(false);
  expect(isAllowedByMode("accept-edits", reads)).toBe(false);
  expect(isAllowedByMode("default", edit)).toBe(false);
  expect(isAllowedByMode("plan", edit)).toBe(false);
});

test("a call that only reads is allowed where the reading says so, and not in plan", () => {
  const marked: Request = { ...reads, reading: { ...reading, onlyReads: true } };
  for (const mode of ["default", "accept-edits"]) {
    expect(isAllowedByMode(mode, marked)).toBe(true);
    expect(needsPerson(mode, marked)).toBe(false);
    expect(needsPerson(mode, reads)).toBe(true);
  }
  expect(isAllowedByMode("plan", marked)).toBe(false);
});

test("a rule comes before the mode", () => {
  const asked: Request = { ...edit, reading: { ...reading, verdict: "ask" } };
  expect(needsPerson("full-auto", asked)).toBe(true);
  expect(needsPerson("full-auto", edit)).toBe(false);
  expect(needsPerson("accept-edits", edit)).toBe(false);
});
