import { describe, expect, test } from "vitest";
import type { EventBatch } from "../event-log.ts";
import { TestWriter, formatEvents, type OpenJournal, type ReopenJournal } from "./test-writer.ts";
import { createTestDeadline } from "./test-watching.ts";

const emptyTail = { epoch: 0, last: 0, fence: 0n, owner: "" };

export function testForgetting(open: OpenJournal, reopen: ReopenJournal | undefined): void {
  describe("forgetting", () => {
    test("removes a session completely and leaves other sessions unchanged", async () => {
      await using journal = await open();
      const before = await TestWriter.claim(journal, "before");
      const forgotten = await TestWriter.claim(journal, "forgotten");
      const after = await TestWriter.claim(journal, "forgotten-2");
      for (const writer of [before, after, forgotten]) await writer.append("1", "2");
      await journal.forget("forgotten", forgotten.fence);

      expect(await journal.tail("forgotten")).toEqual(emptyTail);
      expect(await Array.fromAsync(journal.read("forgotten", 0))).toEqual([]);
      const names = (await Array.fromAsync(journal.sessions())).map(({ session }) => session);
      expect(names).toEqual(["forgotten-2", "before"]);
      for (const writer of [before, after]) {
        await writer.append("3");
        expect(formatEvents(await Array.fromAsync(journal.read(writer.session, 0)))).toEqual(["1: 1", "2: 2", "3: 3"]);
      }
    });

    test("rejects a fence that is not the tail's", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      const old = writer.fence;
      await writer.append("a");
      await expect(journal.forget("s", old)).rejects.toMatchObject({ code: "fenced" });
      await expect(journal.forget("s", 0n)).rejects.toMatchObject({ code: "fenced" });
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a"]);
    });

    test("lets only one of a concurrent append and forget succeed", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      for (let round = 0; round < 10; round++) {
        const writer = await TestWriter.claim(journal, `s${round}`);
        await writer.append("1");
        const fence = writer.fence;
        const forget = (): Promise<void> => (second ?? journal).forget(writer.session, fence);
        const append = (): Promise<void> => writer.append("2");
        const attempts = round % 2 === 0 ? [append(), forget()] : [forget(), append()];
        const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status);
        expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
      }
    });

    test("rejects fences from before the removal, even if the session is claimed and written in the same way", async () => {
      await using journal = await open();
      const before = await TestWriter.claim(journal, "s");
      const fences = [before.fence];
      for (const text of ["a", "b"]) {
        await before.append(text);
        fences.push(before.fence);
      }
      await journal.forget("s", before.fence);
      const reclaimed = await TestWriter.claim(journal, "s");
      expect(reclaimed).toMatchObject({ epoch: 1, last: 0 });
      expect(fences).not.toContain(reclaimed.fence);
      for (const text of ["a", "b"]) {
        await reclaimed.append(text);
        expect(fences).not.toContain(reclaimed.fence);
      }
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a", "2: b"]);
    });

    test("notifies watchers of other sessions as before", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const watched = await TestWriter.claim(journal, "watched");
      await watched.append("1");
      const watchers = [journal, second ?? journal].map((handle) => handle.watch("watched", 0, createTestDeadline()));
      const iterators = watchers.map((batches) => batches[Symbol.asyncIterator]());
      for (const watcher of iterators) await watcher.next();
      const waiting = iterators.map((watcher) => watcher.next());
      const forgotten = await TestWriter.claim(journal, "forgotten");
      await forgotten.append("the newest event");
      await journal.forget("forgotten", forgotten.fence);
      await watched.append("2");
      for (const next of waiting) expect(formatEvents([(await next).value as EventBatch])).toEqual(["2: 2"]);
    });

    if (reopen === undefined) return;
    test("is durable", async () => {
      const before = await open();
      const remaining = await TestWriter.claim(before, "remaining");
      const forgotten = await TestWriter.claim(before, "forgotten");
      await before.forget("forgotten", forgotten.fence);
      await before[Symbol.asyncDispose]();

      await using after = await reopen(before);
      expect(await after.tail("forgotten")).toEqual(emptyTail);
      expect((await Array.fromAsync(after.sessions())).map(({ session }) => session)).toEqual(["remaining"]);
      await after.append(remaining.nextBatch("a"), remaining.fence);
      expect((await TestWriter.claim(after, "forgotten")).fence).not.toBe(forgotten.fence);
    });
  });
}
