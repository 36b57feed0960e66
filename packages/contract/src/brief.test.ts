import { expect, test } from "vitest";
import { Brief } from "./brief.ts";

const whole: Brief = { title: "Fix it", goal: "It works.", constraints: ["no"], acceptance: ["yes"], room: "src" };

test("a brief needs a title and a goal; the rest is empty unless it is given", () => {
  expect(Brief.parse({ title: "Fix it", goal: "It works." })).toStrictEqual({
    title: "Fix it",
    goal: "It works.",
    constraints: [],
    acceptance: [],
  });
  expect(Brief.parse(whole)).toStrictEqual(whole);
});

test.each([
  ["has an empty title", { title: "" }],
  ["has an empty goal", { goal: "" }],
  ["has no title", { title: undefined }],
  ["has no goal", { goal: undefined }],
  ["has constraints that are not words", { constraints: [1] }],
  ["has acceptance that is not words", { acceptance: [1] }],
  ["has a room that is not a path", { room: 1 }],
  ["has a field that nobody knows", { odd: 1 }],
])("a brief that %s is refused", (_, change) => {
  expect(Brief.safeParse({ ...whole, ...change }).success).toBe(false);
});
