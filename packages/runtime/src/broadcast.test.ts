import { expect, test } from "vitest";
import { Broadcast } from "./broadcast.ts";

test("a listener hears everything from the moment it listens, in order, and the error that ended it", async () => {
  const broadcast = new Broadcast<number>();
  broadcast.publish(1);
  const listening = broadcast.listen();
  broadcast.publish(2);
  broadcast.publish(3);
  broadcast.end(new Error("over"));
  const heard: number[] = [];
  const hearing = (async () => {
    for await (const item of listening) heard.push(item);
  })();
  await expect(hearing).rejects.toThrow("over");
  expect(heard).toEqual([2, 3]);
});

test("one that does not read is let go of as behind, with nothing kept for it; the others hear on", async () => {
  const broadcast = new Broadcast<number>();
  const stalled = broadcast.listen({ cap: 10 });
  const quick = broadcast.listen();
  for (let item = 1; item <= 10; item += 1) broadcast.publish(item);
  expect(stalled.behind).toBe(false);
  broadcast.publish(11);
  expect(stalled.behind).toBe(true);
  expect(quick.behind).toBe(false);
  broadcast.end();
  expect(await Array.fromAsync(stalled)).toEqual([]);
  expect(await Array.fromAsync(quick)).toHaveLength(11);
});

test("aborting ends the listening quietly, also for one that waits", async () => {
  const broadcast = new Broadcast<number>();
  const leaving = new AbortController();
  const listening = Array.fromAsync(broadcast.listen({ signal: leaving.signal }));
  leaving.abort();
  expect(await listening).toEqual([]);
  expect(await Array.fromAsync(broadcast.listen({ signal: leaving.signal }))).toEqual([]);
});
