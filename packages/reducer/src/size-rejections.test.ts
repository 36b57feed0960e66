import { commandRules, type Command } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { initialSessionState } from "./session-state.ts";
import { maxContextBytes, maxInputBytes, sizeRejectionOf } from "./size-rejections.ts";

const half = "x".repeat(maxInputBytes / 2);
const send = (text: string): Command => ({ type: "send", turn: "1", text });
const withContext = (...pendingContext: string[]) => ({ ...initialSessionState, pendingContext });

describe("a command that would not fit into the agent's input", () => {
  test.each<readonly [string, string[], Command]>([
    ["a message with its context", [half], send(half)],
    ["a message whose characters take six bytes in JSON", [], send("\u0001".repeat(maxInputBytes / 5))],
    ["steering", [], { type: "steer", text: half + half }],
    [
      "an edited approval",
      [],
      { type: "answer", decision: "d", answer: { type: "allow", input: half + half }, by: { kind: "person" } },
    ],
    ["more context", ["x".repeat(maxContextBytes / 2)], { type: "inject", text: "x".repeat(maxContextBytes / 2) }],
  ])("is rejected: %s", (_, context, command) => {
    expect(sizeRejectionOf(withContext(...context), command, commandRules)).toBe("too-large");
    expect(sizeRejectionOf(withContext(...context), command, 2)).toBeNull(); // the journal has its events
  });

  test("is rejected before any context makes every message too large", () => {
    const full = withContext("x".repeat(maxContextBytes - 2));
    expect(sizeRejectionOf(full, { type: "inject", text: "more" }, commandRules)).toBe("too-large");
    expect(sizeRejectionOf(full, send("x".repeat(1024 * 1024)), commandRules)).toBeNull();
  });

  test("is not a command without text", () => {
    for (const type of ["open", "interrupt", "pause", "resume", "end"] as const)
      expect(sizeRejectionOf(withContext(half, half), { type }, commandRules)).toBeNull();
  });
});
