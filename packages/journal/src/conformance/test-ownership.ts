import { describe, expect, test } from "vitest";
import { TestWriter, formatEvents, type OpenJournal } from "./test-writer.ts";

export function testOwnership(open: OpenJournal): void {
  describe("ownership", () => {
    test("rejects an append without a claim", async () => {
      await using journal = await open();
      const batch = { session: "s", epoch: 0, first: 1, events: [Buffer.from("a")], owner: "writer" };
      await expect(journal.append(batch, 0n)).rejects.toMatchObject({ code: "fenced" });
      expect(await Array.fromAsync(journal.sessions())).toEqual([]);
    });

    test("fences the previous owner with each claim and continues the numbering", async () => {
      await using journal = await open();
      const old = await TestWriter.claim(journal, "s", "old");
      await old.append("a", "b");
      const successor = await TestWriter.claim(journal, "s", "successor");
      expect(successor).toMatchObject({ epoch: 2, last: 2 });
      await expect(old.append("late")).rejects.toMatchObject({ code: "fenced" });
      await successor.append("c");
      await expect(old.append("later")).rejects.toMatchObject({ code: "fenced" });
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a", "2: b", "3: c"]);
    });

    test("fences an owner's first claim with its second", async () => {
      await using journal = await open();
      const before = await TestWriter.claim(journal, "s", "same");
      const after = await TestWriter.claim(journal, "s", "same");
      await expect(before.append("late")).rejects.toMatchObject({ code: "fenced" });
      await after.append("a");
    });

    test("rejects a wrong epoch with the right fence", async () => {
      await using journal = await open();
      await TestWriter.claim(journal, "s", "old");
      const successor = await TestWriter.claim(journal, "s", "successor");
      for (const epoch of [0, 1, 3]) {
        const batch = { ...successor.nextBatch("a"), epoch };
        await expect(journal.append(batch, successor.fence)).rejects.toMatchObject({ code: "fenced" });
      }
      await successor.append("a");
    });

    test("accepts an append without events only with the next epoch, as a claim", async () => {
      await using journal = await open();
      const old = await TestWriter.claim(journal, "s", "old");
      await expect(journal.append(old.nextBatch(), old.fence)).rejects.toMatchObject({ code: "fenced" });
      const fence = await journal.append({ ...old.nextBatch(), epoch: 2, owner: "successor" }, old.fence);
      expect(await journal.tail("s")).toEqual({ epoch: 2, last: 0, fence, owner: "successor" });
      await expect(old.append("late")).rejects.toMatchObject({ code: "fenced" });
    });

    test("rejects another session's fence", async () => {
      await using journal = await open();
      const mine = await TestWriter.claim(journal, "mine");
      const other = await TestWriter.claim(journal, "other");
      await expect(journal.append(mine.nextBatch("a"), other.fence)).rejects.toMatchObject({ code: "fenced" });
    });
  });
}
