import type { EventOf } from "@fairlead/contract";
import { expect, test } from "vitest";
import { toResolutionWords } from "./resolution-words.ts";

type Resolution = EventOf<"decision.resolved">;

test.each<[Partial<Resolution>, string]>([
  [{ input: { command: "echo edited" } }, "allowed | by a person (phone), with edited input: echo edited"],
  [{ remember: "session" }, "allowed | by a person (phone), for this session"],
  [{ remember: "rule" }, "allowed | by a person (phone), from now on"],
  [{ outcome: "answered", answers: { "Which one?": "the left" } }, "answered | by a person (phone): the left"],
  [{ outcome: "denied", message: "Not here." }, "denied | by a person (phone): Not here."],
  [{ outcome: "canceled", by: { kind: "agent" } }, "withdrawn | by the agent"],
  [{ outcome: "timed-out", by: { kind: "deadline" } }, "not answered in time | by its deadline"],
  [
    { by: { kind: "policy", rule: { source: "policy.toml", number: 3 } } },
    "allowed | by the policy (rule 3 of policy.toml)",
  ],
])("an answer with %j: %s", (fields, words) => {
  const by = { kind: "person", label: "phone" } as const;
  const { outcome, details } = toResolutionWords({
    type: "decision.resolved",
    decision: "x",
    outcome: "allowed",
    by,
    ...fields,
  });
  expect(`${outcome} | ${details}`).toBe(words);
});
