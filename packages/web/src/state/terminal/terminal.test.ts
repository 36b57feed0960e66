import { expect, test } from "vitest";
import { describeKeys } from "./describe-keys.ts";
import { whyNotTakeOver } from "./take-over.ts";
import { encodeKey, withControl } from "./terminal-keys.ts";
import { addLostInput, initialTerminalState } from "./terminal-state.ts";

test.each([
  ["ls -l\r", "ls -l⏎"],
  ["\u0003\u001B[A\u001BOB\u001B\t\u007F", "^C↑↓Esc ⇥⌫"],
  ["x".repeat(130), `${"x".repeat(120)}… (130 keys)`],
])("writes the keys %j as %s", (keys, expected) => {
  expect(describeKeys(keys)).toBe(expected);
});

test.each([
  ["c", "\u0003"],
  ["[", "\u001B"],
  [" ", "\u0000"],
  ["1", "1"],
  ["word", "word"],
  ["é", "é"],
])("types %j with Ctrl as %j", (text, expected) => {
  expect(withControl(text)).toBe(expected);
});

test("types arrows in the form that the program asked for", () => {
  expect([encodeKey("↑", false), encodeKey("↑", true), encodeKey("Tab", true)]).toEqual(["\u001B[A", "\u001BOA", "\t"]);
});

test("keeps what was lost before", () => {
  const lost = addLostInput(addLostInput(initialTerminalState, { uncertain: "a", unsent: "b" }), { unsent: "c" });
  expect(lost.lost).toEqual({ uncertain: "a", unsent: "bc" });
});

test.each([
  ["ended", ["take-over"], ["admin"], /has ended/],
  ["lost", ["take-over"], ["admin"], /cannot be driven/],
  ["idle", [], ["admin"], /Made-up agent has no terminal/],
  ["idle", ["take-over"], ["read", "drive", "approve"], /scope admin/],
  ["paused", ["take-over"], ["admin"], null],
] as const)("a session in state %s with %j and a token with %j: %s", (state, capabilities, scopes, expected) => {
  const problem = whyNotTakeOver({ state, label: "Made-up agent", capabilities: [...capabilities] }, scopes);
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
});
