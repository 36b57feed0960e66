import { expect, test } from "vitest";
import { type BoundKeys, KeyStack } from "./key-stack.ts";

const actions = { first: () => "first", second: () => "second", changed: () => "changed" };

test("the element that was shown last gets a key, however often another one changes its bindings", () => {
  const stack = new KeyStack();
  const first: BoundKeys = { bindings: { y: actions.first } };
  const second: BoundKeys = { bindings: { y: actions.second } };
  stack.add(first);
  const remove = stack.add(second);
  first.bindings = { y: actions.changed };
  expect(stack.find("y")).toBe(actions.second);
  second.bindings = {};
  expect(stack.find("y")).toBe(actions.changed);
  second.bindings = { y: actions.second };
  remove();
  expect(stack.find("y")).toBe(actions.changed);
});

test("knows the first key of two", () => {
  const stack = new KeyStack();
  stack.add({ bindings: { "g s": actions.first } });
  expect([stack.isFirst("g"), stack.isFirst("s")]).toEqual([true, false]);
});
