import type { Event, EventOf } from "@fairlead/contract";
import { expect, test } from "vitest";
import { Spending } from "./spending.ts";

const usageEvent = (tokens: number, dollars: number | null): Event =>
  ({
    body: {
      type: "usage.reported",
      provider: "p",
      model: "m",
      tokens: { uncached: tokens, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
      cost: dollars === null ? null : { amount: dollars, currency: "USD" },
      provenance: "reported",
    } satisfies EventOf<"usage.reported">,
  }) as Event;

test("is exhausted when either the dollars or the tokens reach the cap", () => {
  const spending = new Spending({ dollars: 1, tokens: 100 });
  spending.add([usageEvent(10, 0.5), { type: "text.delta", text: "x" }]);
  expect(spending.exhaustedReason).toBeNull();
  spending.add([usageEvent(10, 0.5)]);
  expect(spending.exhaustedReason).toMatch(/\$1/);
  const withoutCost = new Spending({ dollars: 1, tokens: 100 });
  withoutCost.add([usageEvent(100, null)]);
  expect(withoutCost.exhaustedReason).toMatch(/100 tokens/);
  expect(withoutCost.total).toBe("$0.0000, 100 tokens");
});
