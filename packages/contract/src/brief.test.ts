import { expect, test } from "vitest";
import { Brief } from "./brief.ts";

const completeBrief: Brief = {
  title: "Fix it",
  goal: "It works.",
  constraints: ["no"],
  acceptance: ["yes"],
  room: "src",
};

test("requires a title and a goal, and defaults the lists to empty", () => {
  expect(Brief.parse({ title: "Fix it", goal: "It works." })).toStrictEqual({
    title: "Fix it",
    goal: "It works.",
    constraints: [],
    acceptance: [],
  });
  expect(Brief.parse(completeBrief)).toStrictEqual(completeBrief);
});

test.each([
  ["has an empty title", { title: "" }],
  ["has an empty goal", { goal: "" }],
  ["has no title", { title: undefined }],
  ["has no goal", { goal: undefined }],
  ["has constraints that are not strings", { constraints: [1] }],
  ["has acceptance conditions that are not strings", { acceptance: [1] }],
  ["has a room that is not a string", { room: 1 }],
  ["has an unknown field", { odd: 1 }],
])("rejects a brief that %s", (_, change) => {
  expect(Brief.safeParse({ ...completeBrief, ...change }).success).toBe(false);
});
