import { formatCosts, type UsageView } from "@fairlead/api";
import { zeroTokenCounts } from "@fairlead/contract";
import { expect, it } from "vitest";
import { roomRows } from "./usage.ts";

it.each([
  [null, null, "-"],
  [0.5, null, "$0.5000"],
  [null, 0.25, "~$0.2500"],
  [2, 0.25, "$2.00 + ~$0.2500"],
])("formats the reported cost %j and the estimate %j apart", (cost, estimate, text) => {
  expect(formatCosts(cost, estimate)).toBe(text);
});

it("sums the sessions of each room, apart from the same name in another workspace", () => {
  const base = { agent: "a", provider: "p", model: "m", estimate: null, provenance: "reported" } as const;
  const tokens = { ...zeroTokenCounts, output: 1 };
  const used = (session: string, workspace: string, room: string | null, cost: number): UsageView => ({
    ...base,
    session,
    workspace,
    room,
    cost,
    tokens,
  });
  const rows = roomRows([
    used("1", "/a", "web", 1),
    used("1", "/a", "web", 2),
    used("2", "/a", "web", 4),
    used("3", "/a", null, 8),
    used("4", "/b", "web", 16),
  ]);
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ["ROOM", "WORKSPACE", "SESSIONS", "COST"],
    ["-", "/a", "1", "$8.00"],
    ["web", "/a", "2", "$7.00"],
    ["web", "/b", "1", "$16.00"],
    ["total", "", "", "$31.00"],
  ]);
});
