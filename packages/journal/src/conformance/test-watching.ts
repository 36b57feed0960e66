import { describe, expect, test } from "vitest";
import type { EventBatch } from "../event-log.ts";
import { TestWriter, numberedEvents, formatEvents, type OpenJournal, type ReopenJournal } from "./test-writer.ts";

export function testWatching(open: OpenJournal, reopen: ReopenJournal | undefined): void {
  describe("watching", () => {
    test("yields each event once and in order to watchers that start at any time during appends", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const last = 300;
      const writer = await TestWriter.claim(journal, "s");
      const otherWriter = await TestWriter.claim(journal, "noise");
      const watchers: Promise<string[]>[] = [];
      while (writer.last < last) {
        const after = Math.max(0, writer.last - (writer.last % 7));
        const handle = writer.last % 2 === 0 ? journal : (second ?? journal);
        if (writer.last % 10 < 3) watchers.push(watchUntil(handle.watch("s", after, createTestDeadline()), last));
        const count = Math.min(1 + (writer.last % 3), last - writer.last);
        await Promise.all([writer.append(...numbers(writer.last, count)), otherWriter.append("noise")]);
      }
      for (const events of await Promise.all(watchers)) {
        expect(events).toEqual(numberedEvents(last, last - events.length));
      }
      expect(watchers.length).toBeGreaterThan(30);
    });

    test("watches a session before it is claimed", async () => {
      await using journal = await open();
      const watcher = watchUntil(journal.watch("s", 0, createTestDeadline()), 2);
      const writer = await TestWriter.claim(journal, "s");
      await writer.append("1");
      await writer.append("2");
      expect(await watcher).toEqual(numberedEvents(2));
    });

    test("starts after a sequence that does not exist yet", async () => {
      await using journal = await open();
      const watcher = watchUntil(journal.watch("s", 3, createTestDeadline()), 5);
      const writer = await TestWriter.claim(journal, "s");
      await writer.append("1", "2");
      await writer.append("3", "4");
      await writer.append("5");
      expect(await watcher).toEqual(numberedEvents(5, 3));
    });

    test("continues when the session gets a new owner", async () => {
      await using journal = await open();
      const watcher = watchUntil(journal.watch("s", 0, createTestDeadline()), 10);
      for (let n = 1; n <= 10; n++) await (await TestWriter.claim(journal, "s", `${n}`)).append(`${n}`);
      expect(await watcher).toEqual(numberedEvents(10));
    });

    test.for(["before it starts", "while it waits", "while it reads the history"] as const)(
      "returns without an error when the signal aborts %s",
      async (moment) => {
        await using journal = await open();
        const writer = await TestWriter.claim(journal, "s");
        await writer.append("1");
        await writer.append("2");
        const controller = new AbortController();
        if (moment === "before it starts") controller.abort();
        const received: string[] = [];
        for await (const batch of journal.watch("s", 0, controller.signal)) {
          received.push(...formatEvents([batch]));
          if (moment === "while it reads the history") controller.abort();
          // By then the watch has found nothing more to read and waits.
          else if (batch.first === 2) setTimeout(() => controller.abort(), 20);
        }
        expect(received).toEqual(
          numberedEvents({ "before it starts": 0, "while it waits": 2, "while it reads the history": 1 }[moment]),
        );
      },
    );

    test("throws when the log is closed during the watch", async () => {
      const journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      await writer.append("1");
      const watcher = journal.watch("s", 0, createTestDeadline())[Symbol.asyncIterator]();
      await watcher.next();
      const outcome = expect(watcher.next()).rejects.toMatchObject({ code: "unavailable" });
      await journal[Symbol.asyncDispose]();
      await outcome;
    });
  });
}

// Without a deadline, a watch that misses an event would never return. With it, the comparison shows which one is missing.
export function createTestDeadline(): AbortSignal {
  return AbortSignal.timeout(20_000);
}

async function watchUntil(batches: AsyncIterable<EventBatch>, last: number): Promise<string[]> {
  const received: string[] = [];
  for await (const batch of batches) {
    received.push(...formatEvents([batch]));
    if (batch.first + batch.events.length > last) break;
  }
  return received;
}

function numbers(after: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${after + index + 1}`);
}
