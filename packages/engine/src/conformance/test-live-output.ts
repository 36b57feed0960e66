import { describe, expect, test } from "vitest";
import type { Delta } from "@fairlead/contract";
import { createSampleDelta, DeltaReader, publishUntil } from "./delta-reader.ts";
import { createSuiteDeadline, expectNoListeners, openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";

/** The most that may wait for a subscriber that does not read. */
const maxQueuedBytes = 32 * 1024 ** 2;

export function testLiveOutput(open: OpenPart<"bus">, reopen: ReopenPart<"bus"> | undefined): void {
  describe("live output", () => {
    test("reaches all subscribers of the session, in order", async () => {
      await using engines = await openShared(open, reopen);
      const { first: host, second, third } = engines;
      await using one = await DeltaReader.start(second.bus, host.bus, "s");
      await using other = await DeltaReader.start(third.bus, host.bus, "s");
      await using unrelated = await DeltaReader.start(third.bus, host.bus, "s.other");
      const texts = Array.from({ length: 500 }, (_, n) => `${n} ü😀`);
      for (const text of texts) host.bus.publish("s", createSampleDelta(text));
      for (const reader of [one, other]) {
        await reader.waitFor("499 ü😀");
        expect(reader.texts).toEqual(texts);
      }
      expect(unrelated.texts).toEqual([]);
    });

    test("has all fields of a delta, also those of its publisher", async () => {
      await using engines = await openShared(open, reopen);
      // A host adds the sequence that a delta follows. Without it, late text is shown twice.
      const published = { type: "screen", text: "\u001b[31m\u0000", parent: "call 1", after: 7 } as const;
      const delta: Delta = published;
      const deltas = engines.second.bus.subscribe("s", createSuiteDeadline())[Symbol.asyncIterator]();
      const received = deltas.next();
      const hasReceived = new AbortController();
      void received.then(() => hasReceived.abort());
      while (!hasReceived.signal.aborted) {
        engines.first.bus.publish("s", delta);
        await new Promise(setImmediate);
      }
      expect((await received).value).toEqual(delta);
      await deltas.return?.();
    });

    test.for(["before it starts", "while it waits", "while the subscriber works"] as const)(
      "the iteration returns without an error when the signal aborts %s",
      async (moment) => {
        await using engines = await openShared(open, reopen);
        const controller = new AbortController();
        if (moment === "before it starts") controller.abort();
        const deltas = engines.second.bus.subscribe("s", controller.signal);
        let count = 0;
        const reading = (async () => {
          for await (const _delta of deltas) {
            count++;
            if (moment === "while the subscriber works") controller.abort();
          }
        })();
        for (let n = 0; n < 100; n++) engines.first.bus.publish("s", createSampleDelta("several wait at once"));
        if (moment !== "before it starts") await publishUntil(engines.first.bus, "s", "text", () => count > 0);
        controller.abort();
        await reading;
        expect(count > 0).toBe(moment !== "before it starts");
        if (moment === "while the subscriber works") expect(count).toBe(1);
        expectNoListeners(controller.signal);
      },
    );

    test("a subscriber that does not read delays nobody, and little waits for it", async () => {
      await using engines = await openShared(open, reopen);
      const { first: host, second, third } = engines;
      const slow = second.bus.subscribe("s", createSuiteDeadline())[Symbol.asyncIterator]();
      let isSubscribed = false;
      const first = slow.next().then(() => (isSubscribed = true));
      await publishUntil(host.bus, "s", "first", () => isSubscribed);
      await first;
      await using fast = await DeltaReader.start(third.bus, host.bus, "s");
      for (let n = 0; n < 10_000; n++) {
        host.bus.publish("s", createSampleDelta("x".repeat(8192)));
        if (n % 20 === 0) await new Promise(setImmediate);
      }
      await publishUntil(host.bus, "s", "end", () => fast.texts.includes("end"));

      let length = 0;
      let hasReachedEnd = false;
      const reading = (async () => {
        while (!hasReachedEnd) {
          const { text } = (await slow.next()).value as Delta;
          length += text.length;
          hasReachedEnd = text === "end";
        }
      })();
      await publishUntil(host.bus, "s", "end", () => hasReachedEnd);
      await reading;
      expect(length).toBeLessThan(maxQueuedBytes);
      await slow.return?.(undefined);
    });

    test("short deltas that wait for a subscriber are limited too", async () => {
      await using engines = await openShared(open, reopen);
      const slow = engines.second.bus.subscribe("s", createSuiteDeadline())[Symbol.asyncIterator]();
      let isSubscribed = false;
      const first = slow.next().then(() => (isSubscribed = true));
      await publishUntil(engines.first.bus, "s", "first", () => isSubscribed);
      await first;
      for (let n = 0; n < 400_000; n++) {
        engines.first.bus.publish("s", createSampleDelta("x"));
        if (n % 1000 === 0) await new Promise(setImmediate);
      }
      let count = 0;
      let hasReachedEnd = false;
      const reading = (async () => {
        for (; !hasReachedEnd; count++) hasReachedEnd = ((await slow.next()).value as Delta).text === "end";
      })();
      await publishUntil(engines.first.bus, "s", "end", () => hasReachedEnd);
      await reading;
      expect(count).toBeLessThan(200_000);
      await slow.return?.(undefined);
    });

    test("subscribers that come and leave disturb no other, and leave nothing behind", async () => {
      await using engines = await openShared(open, reopen);
      const { first: host, second: gateway } = engines;
      await using staying = await DeltaReader.start(gateway.bus, host.bus, "s");
      const { signal } = new AbortController();
      for (let round = 0; round < 50; round++) {
        let count = 0;
        const leaving = (async () => {
          for await (const _delta of gateway.bus.subscribe("s", signal)) if (++count > 0) break;
        })();
        await publishUntil(host.bus, "s", `noise`, () => count > 0);
        await leaving;
        host.bus.publish("s", createSampleDelta(`round ${round}`));
      }
      await staying.waitFor("round 49");
      expect(staying.texts.filter((text) => text !== "noise")).toHaveLength(50);
      expectNoListeners(signal);
    });

    test("throws when the engine is closed, and `publish` does not", async () => {
      await using engines = await openShared(open, reopen);
      const { first, second } = engines;
      let count = 0;
      const reading = (async () => {
        for await (const _delta of second.bus.subscribe("s", createSuiteDeadline())) count++;
      })().catch((error: unknown) => error);
      await publishUntil(first.bus, "s", "text", () => count > 0);
      await second[Symbol.asyncDispose]();
      expect(await reading).toMatchObject({ code: "unavailable" });
      second.bus.publish("s", createSampleDelta("text"));
      const readClosed = async (): Promise<unknown> =>
        await Array.fromAsync(second.bus.subscribe("s", createSuiteDeadline()));
      await expect(readClosed()).rejects.toMatchObject({ code: "unavailable" });
    });
  });
}
