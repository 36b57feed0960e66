import { describe, expect, test } from "vitest";
import type { EventBatch } from "../event-log.ts";
import type { Journal } from "../ownership.ts";
import { TestWriter, formatEvents, type OpenJournal } from "./test-writer.ts";

export function testNotes(open: OpenJournal): void {
  describe("notes", () => {
    test("returns notes in the order of their appends, and leaves them out of the events", async () => {
      await using journal = await open();
      if (!journal.carriesNotes) return;
      const old = await TestWriter.claim(journal, "s", "old");
      await append(journal, old, { ...old.nextBatch("1", "2"), notes: toBytes("a", "b") });
      await old.append("3");
      const successor = await TestWriter.claim(journal, "s", "successor");
      await append(journal, successor, { ...successor.nextBatch("4"), notes: toBytes("", "c") });
      expect(await readNotes(journal, "s")).toEqual(["a", "b", "", "c"]);
      const batches = await Array.fromAsync(journal.read("s", 0));
      expect(formatEvents(batches)).toEqual(["1: 1", "2: 2", "3: 3", "4: 4"]);
      expect(batches.every(({ notes }) => notes === undefined)).toBe(true);
      expect(await readNotes(journal, "another session")).toEqual([]);
    });

    test("returns the notes after an event, also those in batches without events", async () => {
      await using journal = await open();
      if (!journal.carriesNotes) return;
      const writer = await TestWriter.claim(journal, "s");
      for (let number = 1; number <= 300; number += 1)
        await append(journal, writer, { ...writer.nextBatch(`${number}`), notes: toBytes(`n${number}`) });
      for (const text of ["x", "y", "z"])
        await append(journal, writer, { ...writer.nextBatch(), notes: toBytes(text) });
      for (const after of [1, 2, 150, 299, 300]) {
        const notes = await readNotes(journal, "s", after);
        const expected = Array.from({ length: 300 - after }, (_, index) => `n${after + 1 + index}`);
        expect(notes.slice(-(expected.length + 3))).toEqual([...expected, "x", "y", "z"]);
        expect(notes.length).toBeLessThanOrEqual(expected.length + 3 + 64);
      }
      expect(await readNotes(journal, "s", 1000)).toContain("x");
    });

    test("takes a batch with notes and without events for no claim: epoch and numbers stay", async () => {
      await using journal = await open();
      if (!journal.carriesNotes) return;
      const writer = await TestWriter.claim(journal, "s");
      await writer.append("1");
      await append(journal, writer, { ...writer.nextBatch(), notes: toBytes("a") });
      const tail = { epoch: 1, last: 1, fence: writer.fence, owner: "writer" };
      expect(await journal.tail("s")).toEqual(tail);
      const claimWithNotes = { ...writer.nextBatch(), epoch: 2, notes: toBytes("b") };
      await expect(journal.append(claimWithNotes, writer.fence)).rejects.toMatchObject({ code: "fenced" });
      await writer.append("2");
      expect(await readNotes(journal, "s")).toEqual(["a"]);
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: 1", "2: 2"]);
    });

    test("fences notes like events", async () => {
      await using journal = await open();
      if (!journal.carriesNotes) return;
      const old = await TestWriter.claim(journal, "s", "old");
      const successor = await TestWriter.claim(journal, "s", "successor");
      const late = { ...old.nextBatch(), notes: toBytes("late") };
      await expect(journal.append(late, old.fence)).rejects.toMatchObject({ code: "fenced" });
      await append(journal, successor, { ...successor.nextBatch(), notes: toBytes("a") });
      expect(await readNotes(journal, "s")).toEqual(["a"]);
    });

    test("wakes no watcher with an empty batch", async () => {
      await using journal = await open();
      if (!journal.carriesNotes) return;
      const writer = await TestWriter.claim(journal, "s");
      const watcher = journal.watch("s", 0, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
      const next = watcher.next();
      await append(journal, writer, { ...writer.nextBatch(), notes: toBytes("a") });
      await append(journal, writer, { ...writer.nextBatch("1"), notes: toBytes("b") });
      expect((await next).value).toEqual({ session: "s", epoch: 1, first: 1, events: toBytes("1"), owner: "writer" });
    });

    test("rejects notes in a log that does not carry them", async () => {
      await using journal = await open();
      if (journal.carriesNotes) return;
      const writer = await TestWriter.claim(journal, "s");
      const batch = { ...writer.nextBatch("1"), notes: toBytes("a") };
      await expect(journal.append(batch, writer.fence)).rejects.toMatchObject({ code: "invalid-request" });
      await writer.append("1");
      expect(await readNotes(journal, "s")).toEqual([]);
    });
  });
}

async function append(journal: Journal, writer: TestWriter, batch: EventBatch): Promise<void> {
  writer.fence = await journal.append(batch, writer.fence);
  writer.last += batch.events.length;
}

function toBytes(...texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}

async function readNotes(journal: Journal, session: string, after?: number): Promise<string[]> {
  return (await Array.fromAsync(journal.notes(session, after))).map((note) => Buffer.from(note).toString());
}
