import { describe, expect, test } from "vitest";
import { TestWriter, numberedEvents, formatEvents, type OpenJournal } from "./test-writer.ts";

export function testReading(open: OpenJournal): void {
  describe("reading", () => {
    test("starts after any sequence, slices batches there, and stops at any limit", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      for (const batch of [["1", "2", "3"], ["4"], ["5", "6"], ["7", "8", "9", "10"]]) await writer.append(...batch);
      for (let after = 0; after <= 11; after++) {
        for (const limit of [undefined, 0, 1, 2, 3, 5, 100]) {
          const batches = await Array.fromAsync(journal.read("s", after, limit === undefined ? {} : { limit }));
          const last = Math.min(10, after + (limit ?? 10));
          expect(formatEvents(batches)).toEqual(last > after ? numberedEvents(last, after) : []);
          expect(batches.every(({ events }) => events.length > 0)).toBe(true);
        }
      }
    });

    test("returns batches as they were written and omits claims", async () => {
      await using journal = await open();
      const old = await TestWriter.claim(journal, "s", "old");
      await old.append("1", "2");
      const successor = await TestWriter.claim(journal, "s", "successor");
      await successor.append("3");
      const batches = await Array.fromAsync(journal.read("s", 0));
      expect(batches.map(({ events, ...rest }) => ({ ...rest, count: events.length }))).toEqual([
        { session: "s", epoch: 1, first: 1, owner: "old", count: 2 },
        { session: "s", epoch: 2, first: 3, owner: "successor", count: 1 },
      ]);
    });

    test("returns the bytes that the events had when append was called", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const batch = {
        ...writer.nextBatch(),
        events: [allBytes, new Uint8Array(), Buffer.from("\n\0\n"), allBytes.subarray(9, 20)],
      };
      const expected = batch.events.map((event) => [...event]);
      const appending = journal.append(batch, writer.fence);
      allBytes.fill(0);
      await appending;
      const [stored] = await Array.fromAsync(journal.read("s", 0));
      expect(stored?.events.map((event) => [...event])).toEqual(expected);
    });

    test("reads batches of a mebibyte", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      for (let n = 0; n < 5; n++) await writer.append(`${n}`.repeat(1 << 20));
      const batches = await Array.fromAsync(journal.read("s", 0));
      const texts = batches.map(({ events }) => Buffer.from(events[0] ?? []).toString());
      expect(texts.map((text) => [text.length, new Set(text)])).toEqual(
        [0, 1, 2, 3, 4].map((n) => [1 << 20, new Set(`${n}`)]),
      );
    });

    test("reads many small batches", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      for (let n = 1; n <= 2_000; n++) await writer.append(`${n}`);
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(numberedEvents(2_000));
      expect(formatEvents(await Array.fromAsync(journal.read("s", 1_990)))).toEqual(numberedEvents(2_000, 1_990));
    });

    test("throws the signal's reason when it aborts", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      for (let n = 1; n <= 5; n++) await writer.append(`${n}`);
      const controller = new AbortController();
      const received: string[] = [];
      const reader = (async () => {
        for await (const batch of journal.read("s", 0, { signal: controller.signal })) {
          received.push(...formatEvents([batch]));
          if (batch.first === 2) controller.abort(new Error("canceled"));
        }
      })();
      await expect(reader).rejects.toThrow("canceled");
      expect(received).toEqual(numberedEvents(2));
    });
  });
}
