import type { Heard } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { over, prompted, send, Talk, writing } from "./talk-for-test.ts";

describe("patience", () => {
  const tick: Heard = { kind: "alarm", name: "patience" };

  test("a model that is silent for too long is given up", () => {
    const talk = prompted().hear(tick);
    expect(talk.said.at(-1)?.method).toBe("session/cancel");
    expect(over(talk, { stopReason: "cancelled" }).event("error.raised")?.category).toBe("timed-out");
    expect(talk.event("turn.ended")?.outcome).toBe("failed");
  });

  test("what speaks, runs, or waits for a person is not", () => {
    const speaking = prompted().speaks("Well").hear(tick);
    const running = prompted().updates({ ...writing, sessionUpdate: "tool_call", status: "in_progress" });
    const asking = prompted().asksFor(0, writing);
    for (const talk of [speaking, running.hear(tick).hear(tick), asking.hear(tick).hear(tick)]) {
      expect(talk.said.at(-1)?.method).not.toBe("session/cancel");
      expect(talk.effects.at(-1)).toMatchObject({ type: "alarm", name: "patience" });
    }
  });

  test("one that keeps trying is given up however much it says, and its trouble is named", () => {
    const aside = (words: string) => ({ type: "trouble", status: null, words }) as const;
    const talk = prompted({ quirks: { aside } });
    talk.hear({ kind: "line", stream: "err", text: "Rate limit reached" }).speaks("Half a wor").hear(tick);
    expect(over(talk, { stopReason: "end_turn" }).event("error.raised")?.category).toBe("rate-limited");
  });

  test("an agent that does not even start is ended", () => {
    const talk = new Talk().ask({ type: "open" }).ask(send).hear(tick);
    expect(talk.event("error.raised")?.category).toBe("timed-out");
    expect(talk.effects.at(-1)).toEqual({ type: "kill" });
  });
});

describe("failures", () => {
  test.each([
    [{ code: 429, message: "slow down" }, "rate-limited"],
    [{ code: -32603, message: "x", data: { statusCode: 401 } }, "not-authenticated"],
    [{ code: -32000, message: "x" }, "not-authenticated"],
    [{ code: -32603, message: "fetch failed" }, "unreachable"],
    [{ code: -32603, message: "who knows" }, "bad-request"],
  ])("%j is %s", (error, category) => {
    const talk = prompted({ quirks: { phrases: [[/fetch failed/, "unreachable"]], failure: "bad-request" } });
    expect(talk.answers("session/prompt", { error }).event("error.raised")?.category).toBe(category);
  });

  test("a turn that used nothing may have met with something", () => {
    const quirks = { usage: "meta-quota", unused: { category: "connection-lost", unless: /^\// } } as const;
    expect(over(prompted({ quirks })).event("error.raised")?.category).toBe("connection-lost");
  });

  test("what it said last is told when it dies, and not when it was asked to leave", () => {
    const line: Heard = { kind: "line", stream: "err", text: "out of memory" };
    const exit: Heard = { kind: "exited", exit: { code: 1, signal: null } };
    expect(prompted().hear(line).hear(exit).event("status.reported")?.message).toContain("out of memory");
    expect(prompted().hear(line).ask({ type: "end" }).hear(exit).event("status.reported")).toBeUndefined();
  });
});

describe("meters", () => {
  test("thoughts are counted once, within the output or beside it", () => {
    const counts = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 2, thoughtTokens: 3 };
    const usages = [20, 17].map((totalTokens) => {
      const talk = over(prompted(), { stopReason: "end_turn", usage: { ...counts, totalTokens } });
      return talk.event("usage.reported")?.tokens;
    });
    expect(usages).toMatchObject([
      { uncached: 10, cacheRead: 2, output: 8, reasoning: 3 },
      { uncached: 10, cacheRead: 2, output: 5, reasoning: 3 },
    ]);
  });

  test("money is what was added to the running total", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const paid = (talk: Talk, amount: number): Talk =>
      over(talk.updates({ sessionUpdate: "usage_update", cost: { amount, currency: "USD" } }), {
        stopReason: "end_turn",
        usage,
      });
    const talk = paid(paid(prompted(), 2).ask({ ...send, turn: "t2" }), 5);
    const costs = talk.events.flatMap((event) => (event.type === "usage.reported" ? [event.cost?.amount] : []));
    expect(costs).toEqual([2, 3]);
  });
});
