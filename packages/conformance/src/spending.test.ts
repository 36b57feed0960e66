import type { Event, EventOf } from "@fairlead/contract";
import { expect, test } from "vitest";
import { Spending } from "./spending.ts";

const used = (tokens: number, dollars: number | null): Event =>
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

test("nothing more is started once the dollars or the tokens are spent", () => {
  const spending = new Spending({ dollars: 1, tokens: 100 });
  spending.add([used(10, 0.5), { type: "text.delta", text: "x" }]);
  expect(spending.exhausted).toBeNull();
  spending.add([used(10, 0.5)]);
  expect(spending.exhausted).toMatch(/\$1/);
  const silent = new Spending({ dollars: 1, tokens: 100 });
  silent.add([used(100, null)]);
  expect(silent.exhausted).toMatch(/100 tokens/);
  expect(silent.total).toBe("$0.0000, 100 tokens");
});
