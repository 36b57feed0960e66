import { expect, test, vi } from "vitest";
import { whileAsked } from "./while-asked.ts";

test("what nobody asks for is let go of, and taken up again after the last number", async () => {
  const opened: number[] = [];
  let open = 0;
  async function* numbers(after: number): AsyncGenerator<{ sequence: number }> {
    opened.push(after);
    open += 1;
    try {
      for (let sequence = after + 1; sequence <= after + 3; sequence += 1) yield { sequence };
    } finally {
      open -= 1;
    }
  }
  const reading = whileAsked(numbers, 5);
  expect(await reading.next()).toEqual({ value: { sequence: 6 }, done: false });
  expect(await reading.next()).toEqual({ value: { sequence: 7 }, done: false });
  expect({ open, opened }).toEqual({ open: 1, opened: [5] });
  await vi.waitUntil(() => open === 0, 10_000);
  expect(await reading.next()).toEqual({ value: { sequence: 8 }, done: false });
  expect({ open, opened }).toEqual({ open: 1, opened: [5, 7] });
  await reading.return(undefined);
  expect(open).toBe(0);
});
