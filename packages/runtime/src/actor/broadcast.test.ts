import { expect, test } from "vitest";
import { Broadcast } from "./broadcast.ts";

test("a subscription yields all items published after it began, in order, then throws the error of the end", async () => {
  const broadcast = new Broadcast<number>();
  broadcast.publish(1);
  const subscription = broadcast.subscribe();
  broadcast.publish(2);
  broadcast.publish(3);
  broadcast.end(new Error("over"));
  const items: number[] = [];
  const reading = (async () => {
    for await (const item of subscription) items.push(item);
  })();
  await expect(reading).rejects.toThrow("over");
  expect(items).toEqual([2, 3]);
});

test("a subscription with a full queue is closed as behind and its queue discarded; others continue", async () => {
  const broadcast = new Broadcast<number>();
  const stalled = broadcast.subscribe({ maxQueued: 10 });
  const quick = broadcast.subscribe();
  for (let item = 1; item <= 10; item += 1) broadcast.publish(item);
  expect(stalled.isBehind).toBe(false);
  broadcast.publish(11);
  expect(stalled.isBehind).toBe(true);
  expect(quick.isBehind).toBe(false);
  broadcast.end();
  expect(await Array.fromAsync(stalled)).toEqual([]);
  expect(await Array.fromAsync(quick)).toHaveLength(11);
});

test("an aborted signal ends a subscription without an error, also while its reader waits", async () => {
  const broadcast = new Broadcast<number>();
  const controller = new AbortController();
  const reading = Array.fromAsync(broadcast.subscribe({ signal: controller.signal }));
  controller.abort();
  expect(await reading).toEqual([]);
  expect(await Array.fromAsync(broadcast.subscribe({ signal: controller.signal }))).toEqual([]);
});
