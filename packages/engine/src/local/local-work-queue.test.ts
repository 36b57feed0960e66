import { expect, test } from "vitest";
import { workQueueConformance } from "../conformance.ts";
import { LocalWorkQueue } from "./local-work-queue.ts";

workQueueConformance("local", async () => {
  const queue = new LocalWorkQueue({ lease: 2000 });
  return { queue, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() };
});

test("keeps outcomes for a week and not longer, so that memory is limited", async () => {
  const day = 24 * 60 * 60 * 1000;
  let now = 0;
  await using queue = new LocalWorkQueue({ now: () => now });
  const { signal } = new AbortController();
  const takeAndEnd = async (outcome: string): Promise<void> => {
    for await (const ticket of queue.take("pool", signal)) return await ticket.done(outcome);
  };
  const put = (): Promise<unknown> => queue.put("pool", { kind: "test", params: null }, "k", signal);
  expect(await Promise.all([put(), takeAndEnd("first")])).toEqual(["first", undefined]);
  now = 7 * day;
  expect(await put()).toBe("first");
  now = 7 * day + 1;
  expect(await Promise.all([put(), takeAndEnd("second")])).toEqual(["second", undefined]);
});
