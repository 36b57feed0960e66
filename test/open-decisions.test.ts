import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { describe, expect, test } from "vitest";
import { acpStream, appServerStream, streamJsonStream, type AgentStream } from "../claims/flat/agent-streams.ts";
import { ReducerDriver } from "../claims/flat/turn-cost.ts";

/** Agents that ask for approval, and the line with which each does. */
const streams: readonly (() => AgentStream)[] = [
  () => ({
    ...acpStream("opencode"),
    begin: (id) => [
      {
        jsonrpc: "2.0",
        id,
        method: "session/request_permission",
        params: {
          sessionId: "s",
          toolCall: { toolCallId: `c${id}`, title: "ls", kind: "execute", rawInput: { command: "ls" } },
          options: [{ optionId: "o", name: "Once", kind: "allow_once" }],
        },
      },
    ],
  }),
  () => ({
    ...streamJsonStream(),
    begin: (id) => [
      {
        type: "control_request",
        request_id: `r${id}`,
        request: { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: `c${id}`, input: { command: "ls" } },
      },
    ],
  }),
  () => ({
    ...appServerStream(),
    begin: (id) => [
      {
        id,
        method: "item/commandExecution/requestApproval",
        params: { threadId: "s", turnId: "t", itemId: `c${id}`, command: "ls", cwd: "/" },
      },
    ],
  }),
];

describe.each(streams.map((create) => [create().agent, create] as const))("%s", (_, create) => {
  /** Opens requests in one turn, and returns how many events they became. */
  const openRequests = (count: number): number => {
    const stream = create();
    const driver = new ReducerDriver(stream);
    driver.open();
    const before = driver.events;
    for (let id = 100; id < 100 + count; id += 1) driver.write(stream.begin(id));
    return driver.events - before;
  };

  test("each request becomes a decision", () => {
    expect(openRequests(10)).toBeGreaterThanOrEqual(10);
  });

  test("a request costs the same however many are open", { timeout: 120_000 }, () => {
    expect(measureGrowthExponent(openRequests, 1000)).toBeLessThan(1.5);
  });
});
