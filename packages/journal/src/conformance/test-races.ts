import { FairleadError } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import type { Journal } from "../ownership.ts";
import { TestWriter, numberedEvents, formatEvents, type OpenJournal, type ReopenJournal } from "./test-writer.ts";

const writerCount = 8;

export function testRaces(open: OpenJournal, reopen: ReopenJournal | undefined): void {
  describe("races", () => {
    test("writes exactly one of eight appends with the same fence, in each of many rounds", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const testWriter = await TestWriter.claim(journal, "s");
      const winners: string[] = [];
      for (let round = 1; round <= 100; round++) {
        const attempts = Array.from({ length: writerCount }, async (_, writer) => {
          const handle = writer % 2 === 0 ? journal : (second ?? journal);
          const text = `${round} by ${writer}`;
          return { text, fence: await handle.append(testWriter.nextBatch(text), testWriter.fence) };
        });
        const successes = (await Promise.allSettled(attempts)).flatMap((outcome) => {
          if (outcome.status === "fulfilled") return [outcome.value];
          expect(outcome.reason).toMatchObject({ code: "fenced" });
          return [];
        });
        expect(successes).toHaveLength(1);
        winners.push(`${round}: ${successes[0]?.text}`);
        testWriter.fence = successes[0]?.fence ?? 0n;
        testWriter.last++;
      }
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(winners);
    });

    test("gives each of many concurrent claims its own epoch, and lets only the last append", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const testWriters = await Promise.all(
        Array.from({ length: 24 }, (_, n) =>
          TestWriter.claim(n % 2 === 0 ? journal : (second ?? journal), "s", `${n}`),
        ),
      );
      testWriters.sort((one, other) => one.epoch - other.epoch);
      expect(testWriters.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
      const outcomes = await Promise.allSettled(testWriters.map((testWriter) => testWriter.append(testWriter.owner)));
      expect(outcomes.map(({ status }) => status)).toEqual([...Array(23).fill("rejected"), "fulfilled"]);
    });

    test("completes each claim and rejects each stale append while owners append as fast as they can", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const ownerRuns: Promise<number>[] = [];
      for (let index = 0; index < 30; index++) {
        const testWriter = await TestWriter.claim(index % 2 === 0 ? journal : (second ?? journal), "s", `${index}`);
        // The previous owner is fenced by now, even if it has not noticed.
        const started = Promise.withResolvers<void>();
        ownerRuns.push(appendUntilFenced(testWriter, started.resolve));
        await started.promise;
      }
      const end = await journal.claim("s", "end");
      const acknowledged = (await Promise.all(ownerRuns)).reduce((sum, count) => sum + count, 0);
      const batches = await Array.fromAsync(journal.read("s", 0));
      expect(formatEvents(batches)).toEqual(numberedEvents(acknowledged));
      expect(end).toMatchObject({ epoch: 31, last: acknowledged });
      const epochs = batches.map(({ epoch }) => epoch);
      expect(epochs).toEqual(epochs.toSorted((one, other) => one - other));
    });

    test("rejects only the stale ones among concurrent appends of many sessions", async () => {
      await using journal = await open();
      const stale = await claimAll(journal, "stale");
      await claimAll(journal, "stale");
      const fresh = await claimAll(journal, "fresh");
      const mixed = [...fresh, ...stale].toSorted((one, other) =>
        one.session.slice(-2).localeCompare(other.session.slice(-2)),
      );
      const outcomes = await Promise.allSettled(mixed.map((testWriter) => testWriter.append("1")));
      const failed = mixed.filter((_, index) => outcomes[index]?.status === "rejected");
      expect(new Set(failed)).toEqual(new Set(stale));
      for (const { session } of fresh) expect((await journal.tail(session)).last).toBe(1);
      for (const { session } of stale) expect((await journal.tail(session)).last).toBe(0);
    });
  });
}

/** Appends until fenced, then retries a few times like an owner that has not noticed. Returns the acknowledged count. */
async function appendUntilFenced(writer: TestWriter, onStarted: () => void): Promise<number> {
  const before = writer.last;
  for (let rejections = 0; rejections < 5;) {
    try {
      await writer.append(`${writer.last + 1}`);
      expect(rejections).toBe(0);
    } catch (error) {
      if (!FairleadError.is(error, "fenced")) throw error;
      rejections++;
    }
    if (writer.last >= before + 3 || rejections > 0) onStarted();
  }
  return writer.last - before;
}

function claimAll(journal: Journal, kind: string): Promise<TestWriter[]> {
  return Promise.all(Array.from({ length: 20 }, (_, n) => TestWriter.claim(journal, `${kind} ${n}`)));
}
