import { expect, test } from "vitest";
import { metered, type Meters, type Reading } from "./meter.ts";
import { StepWriter } from "./step-writer.ts";

const tokens = (uncached: number, output: number): Reading["tokens"] => ({
  uncached,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
});

function read(...readings: Partial<Reading>[]): unknown[] {
  const writer = new StepWriter<{ meters: Meters }>({ meters: {} });
  for (const one of readings) {
    metered(writer, { kind: "cumulative", provider: "p", model: "m", tokens: tokens(0, 0), cost: null, ...one });
  }
  return (writer.step.events ?? []).map(
    (event) =>
      event.type === "usage.reported" && [
        event.tokens.uncached,
        event.tokens.output,
        event.cost?.amount ?? null,
        event.provenance,
      ],
  );
}

test("a difference is told as it is", () => {
  expect(read({ kind: "delta", tokens: tokens(5, 2) }, { kind: "delta", tokens: tokens(5, 2), cost: 0.5 })).toEqual([
    [5, 2, null, "reported"],
    [5, 2, 0.5, "reported"],
  ]);
});

test("of running totals the difference is told, and nothing when there is none", () => {
  const totals = [tokens(5, 2), tokens(5, 2), tokens(9, 3)].map((one, at) => ({ tokens: one, cost: at }));
  expect(read(...totals)).toEqual([
    [5, 2, 0, "derived"],
    [4, 1, 1, "derived"],
  ]);
});

test("each model has its own meter", () => {
  expect(read({ tokens: tokens(5, 2) }, { model: "other", tokens: tokens(6, 2) })).toEqual([
    [5, 2, null, "derived"],
    [6, 2, null, "derived"],
  ]);
});

test("a total that has become smaller is a new count", () => {
  expect(read({ tokens: tokens(50, 20) }, { tokens: tokens(7, 3) })).toEqual([
    [50, 20, null, "derived"],
    [7, 3, null, "derived"],
  ]);
});

test("each counter of an agent has its own meter", () => {
  expect(read({ counter: "a", tokens: tokens(5, 2) }, { counter: "b", tokens: tokens(6, 2) })).toEqual([
    [5, 2, null, "derived"],
    [6, 2, null, "derived"],
  ]);
});

test("what was used before is nobody's here: only what is used after it is told", () => {
  const counted = "before";
  expect(read({ counted, tokens: tokens(5, 2) }, { tokens: tokens(6, 4) })).toEqual([[1, 2, null, "derived"]]);
  expect(read({ tokens: tokens(5, 2) }, { counted, tokens: tokens(6, 4) })).toEqual([
    [5, 2, null, "derived"],
    [1, 2, null, "derived"],
  ]);
});
