import { commandRules, type Command } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { initialSessionState } from "./session-state.ts";
import {
  maxContextBytes,
  maxInputBytes,
  maxQueuedBytes,
  maxQueuedMessages,
  sizeRejectionOf,
} from "./size-rejections.ts";

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

describe("a queue of messages", () => {
  const withQueue = (texts: readonly string[], context: readonly string[] = []) => ({
    ...initialSessionState,
    waitingMessages: texts.map((text, at) => ({ turn: `${at}`, text, context, isDelivered: false, isAnnounced: true })),
  });

  test("has a limit of messages", () => {
    const texts = Array.from({ length: maxQueuedMessages }, () => "x");
    expect(sizeRejectionOf(withQueue(texts.slice(1)), send("x"), commandRules)).toBeNull();
    expect(sizeRejectionOf(withQueue(texts), send("x"), commandRules)).toBe("too-large");
    expect(sizeRejectionOf(withQueue(texts), { type: "steer", text: "x" }, commandRules)).toBeNull();
    // An older version accepted it, and its journal has the turn.
    expect(sizeRejectionOf(withQueue(texts), send("x"), 4)).toBeNull();
  });

  test("has a limit of bytes, which the contexts of its messages count toward", () => {
    const third = "x".repeat(maxQueuedBytes / 3 - 10);
    expect(sizeRejectionOf(withQueue([third, third]), send(third), commandRules)).toBeNull();
    expect(sizeRejectionOf(withQueue([third, third]), send(`${third}${"x".repeat(30)}`), commandRules)).toBe(
      "too-large",
    );
    expect(sizeRejectionOf(withQueue([third], [third]), send(`${third}${"x".repeat(30)}`), commandRules)).toBe(
      "too-large",
    );
  });

  test("holds context that counts toward the limit of the context that waits", () => {
    const context = ["x".repeat(maxContextBytes / 2)];
    const inject: Command = { type: "inject", text: "x".repeat(maxContextBytes / 2) };
    expect(sizeRejectionOf(withQueue(["x"], context), inject, commandRules)).toBe("too-large");
    expect(sizeRejectionOf(withQueue(["x"], context), { type: "inject", text: "x" }, commandRules)).toBeNull();
    expect(sizeRejectionOf(withQueue(["x"], context), inject, 4)).toBeNull();
  });
});
