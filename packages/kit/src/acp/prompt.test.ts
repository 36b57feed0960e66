import type { Observation } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import {
  finishPrompt,
  promptDriver,
  sendCommand,
  AcpDialectDriver,
  writeCall,
} from "@fairlead/testing/kit/acp-dialect-driver.ts";

describe("watchdog", () => {
  const alarm: Observation = { kind: "alarm", name: "patience" };

  test("cancels the turn of a model that is silent for too long", () => {
    const driver = promptDriver().observe(alarm);
    expect(driver.sentMessages.at(-1)?.method).toBe("session/cancel");
    expect(finishPrompt(driver, { stopReason: "cancelled" }).event("error.raised")?.category).toBe("timed-out");
    expect(driver.event("turn.ended")?.outcome).toBe("failed");
  });

  test("does not cancel while the agent writes, runs a tool or waits for a person", () => {
    const writing = promptDriver().receiveText("Well").observe(alarm);
    const running = promptDriver().receiveUpdate({ ...writeCall, sessionUpdate: "tool_call", status: "in_progress" });
    const asking = promptDriver().receivePermissionRequest(0, writeCall);
    for (const driver of [writing, running.observe(alarm).observe(alarm), asking.observe(alarm).observe(alarm)]) {
      expect(driver.sentMessages.at(-1)?.method).not.toBe("session/cancel");
      expect(driver.effects.at(-1)).toMatchObject({ type: "alarm", name: "patience" });
    }
  });

  test("cancels a model that keeps retrying despite output, and reports its failure", () => {
    const sideChannel = (message: string) => ({ type: "trouble", status: null, message }) as const;
    const driver = promptDriver({ quirks: { sideChannel } });
    driver
      .observe({ kind: "line", stream: "err", text: "Rate limit reached" })
      .receiveText("Half a wor")
      .observe(alarm);
    expect(finishPrompt(driver, { stopReason: "end_turn" }).event("error.raised")?.category).toBe("rate-limited");
  });

  test("waits for a person although the model had failed before", () => {
    const sideChannel = (message: string) => ({ type: "trouble", status: null, message }) as const;
    const driver = promptDriver({ quirks: { sideChannel } });
    driver.observe({ kind: "line", stream: "err", text: "Rate limit reached" }).receivePermissionRequest(0, writeCall);
    driver.observe(alarm).observe(alarm);
    expect(driver.effects.at(-1)).toMatchObject({ type: "alarm", name: "patience" });
  });

  test("kills an agent that ignores the cancel, and reports why", () => {
    const driver = promptDriver().observe(alarm).observe({ kind: "alarm", name: "cancel" });
    expect(driver.effects.at(-1)).toEqual({ type: "kill" });
    driver.observe({ kind: "exited", exit: { code: null, signal: "SIGKILL" } });
    expect(driver.event("error.raised")).toEqual({
      type: "error.raised",
      category: "timed-out",
      message: "It has not answered for 1 s.",
    });
  });

  test("kills an agent that does not start", () => {
    const driver = new AcpDialectDriver().handle({ type: "open" }).handle(sendCommand).observe(alarm);
    expect(driver.event("error.raised")?.category).toBe("timed-out");
    expect(driver.effects.at(-1)).toEqual({ type: "kill" });
  });
});

describe("failures", () => {
  test.each([
    [{ code: 429, message: "slow down" }, "rate-limited"],
    [{ code: -32603, message: "x", data: { statusCode: 401 } }, "not-authenticated"],
    [{ code: -32000, message: "x" }, "not-authenticated"],
    [{ code: -32603, message: "fetch failed" }, "unreachable"],
    [{ code: -32603, message: "no reason" }, "bad-request"],
  ])("%j is %s", (error, category) => {
    const driver = promptDriver({
      quirks: { phrases: [[/fetch failed/, "unreachable"]], defaultCategory: "bad-request" },
    });
    expect(driver.receiveResponse("session/prompt", { error }).event("error.raised")?.category).toBe(category);
  });

  test("fails a completed turn without usage if the agent has that quirk", () => {
    const quirks = { usage: "meta-quota", noUsageFailure: { category: "connection-lost", unless: /^\// } } as const;
    expect(finishPrompt(promptDriver({ quirks })).event("error.raised")?.category).toBe("connection-lost");
  });

  test("reports the last lines of standard error if the agent dies, but not after an end", () => {
    const line: Observation = { kind: "line", stream: "err", text: "out of memory" };
    const exit: Observation = { kind: "exited", exit: { code: 1, signal: null } };
    expect(promptDriver().observe(line).observe(exit).event("status.reported")?.message).toContain("out of memory");
    expect(promptDriver().observe(line).handle({ type: "end" }).observe(exit).event("status.reported")).toBeUndefined();
  });
});

describe("usage", () => {
  test("counts reasoning once, whether the output includes it or not", () => {
    const counts = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 2, thoughtTokens: 3 };
    const usages = [20, 17].map((totalTokens) => {
      const driver = finishPrompt(promptDriver(), { stopReason: "end_turn", usage: { ...counts, totalTokens } });
      return driver.event("usage.reported")?.tokens;
    });
    expect(usages).toMatchObject([
      { uncached: 10, cacheRead: 2, output: 8, reasoning: 3 },
      { uncached: 10, cacheRead: 2, output: 5, reasoning: 3 },
    ]);
  });

  test("reports the increase of the running cost total", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const finishWithTotal = (driver: AcpDialectDriver, amount: number): AcpDialectDriver =>
      finishPrompt(driver.receiveUpdate({ sessionUpdate: "usage_update", cost: { amount, currency: "USD" } }), {
        stopReason: "end_turn",
        usage,
      });
    const driver = finishWithTotal(finishWithTotal(promptDriver(), 2).handle({ ...sendCommand, turn: "t2" }), 5);
    const costs = driver.events.flatMap((event) => (event.type === "usage.reported" ? [event.cost?.amount] : []));
    expect(costs).toEqual([2, 3]);
  });
});
