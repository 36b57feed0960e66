import { expect, test, vi } from "vitest";
import { releaseWhenIdle } from "./release-when-idle.ts";

test("closes an idle source and opens it again after the last sequence", async () => {
  const openedAfter: number[] = [];
  let openSources = 0;
  async function* numbers(after: number): AsyncGenerator<{ sequence: number }> {
    openedAfter.push(after);
    openSources += 1;
    try {
      for (let sequence = after + 1; sequence <= after + 3; sequence += 1) yield { sequence };
    } finally {
      openSources -= 1;
    }
  }
  const events = releaseWhenIdle(numbers, 5);
  expect(await events.next()).toEqual({ value: { sequence: 6 }, done: false });
  expect(await events.next()).toEqual({ value: { sequence: 7 }, done: false });
  expect({ openSources, openedAfter }).toEqual({ openSources: 1, openedAfter: [5] });
  await vi.waitUntil(() => openSources === 0, 10_000);
  expect(await events.next()).toEqual({ value: { sequence: 8 }, done: false });
  expect({ openSources, openedAfter }).toEqual({ openSources: 1, openedAfter: [5, 7] });
  await events.return(undefined);
  expect(openSources).toBe(0);
});
