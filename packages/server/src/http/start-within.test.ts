import { expect, test } from "vitest";
import { startWithin } from "./start-within.ts";

const order = { workspace: "/somewhere" };

test("whoever may approve may start in any way", () => {
  const daring = { ...order, mode: "full-auto", settings: { options: { "--anything": true } } } as const;
  expect(startWithin(["drive", "approve"], daring)).toBe(daring);
});

test.each(["full-auto", "dangerously-skip-permissions"] as const)("who may not approve may not choose %s", (mode) => {
  expect(() => startWithin(["drive"], { ...order, mode })).toThrow("scope approve");
});

test("who may not approve may not hand an agent settings of its own", () => {
  expect(() => startWithin(["drive"], { ...order, settings: { options: {} } })).toThrow("the setting options");
  const settings = { model: "some", systemPrompt: "Be kind.", maxTurns: 3 };
  expect(startWithin(["drive"], { ...order, settings }).settings).toEqual(settings);
});

test("without a mode it is the one that asks, whatever the workspace says", () => {
  expect(startWithin(["drive"], order)).toEqual({ ...order, mode: "default" });
  expect(startWithin(["drive"], { ...order, mode: "plan" }).mode).toBe("plan");
});
