import { describe, expect, test } from "vitest";
import { TestWriter, formatEvents, type OpenJournal, type ReopenJournal } from "./test-writer.ts";

export function testReopening(open: OpenJournal, reopen: ReopenJournal): void {
  describe("reopening", () => {
    test("keeps events, fences and the order of sessions", async () => {
      const before = await open();
      const writer = await TestWriter.claim(before, "s");
      await writer.append("a", "b");
      await TestWriter.claim(before, "t");
      await before[Symbol.asyncDispose]();

      await using after = await reopen(before);
      expect(await after.tail("s")).toEqual({ epoch: 1, last: 2, fence: writer.fence, owner: "writer" });
      await after.append(writer.nextBatch("c"), writer.fence);
      expect(formatEvents(await Array.fromAsync(after.read("s", 0)))).toEqual(["1: a", "2: b", "3: c"]);
      expect((await Array.fromAsync(after.sessions())).map(({ session }) => session)).toEqual(["s", "t"]);
    });

    test("resolves a pending append if and only if the closed log has written it", async () => {
      const before = await open();
      const writers = await Promise.all(["a", "b", "c"].map((session) => TestWriter.claim(before, session)));
      const appends = Promise.allSettled(writers.map((writer) => writer.append("1")));
      await before[Symbol.asyncDispose]();
      const outcomes = await appends;

      await using after = await reopen(before);
      for (const [index, { session }] of writers.entries()) {
        expect((await after.tail(session)).last).toBe(outcomes[index]?.status === "fulfilled" ? 1 : 0);
      }
    });

    test("rejects all operations on a closed log", async () => {
      const journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      await journal[Symbol.asyncDispose]();
      const closed = { code: "unavailable" };
      await expect(writer.append("a")).rejects.toMatchObject(closed);
      await expect(journal.claim("s", "late")).rejects.toMatchObject(closed);
      await expect(journal.tail("s")).rejects.toMatchObject(closed);
      await expect(Array.fromAsync(journal.read("s", 0))).rejects.toMatchObject(closed);
      await expect(Array.fromAsync(journal.sessions())).rejects.toMatchObject(closed);
      await journal[Symbol.asyncDispose]();
    });

    test("returns the same tail from two journals on one storage", async () => {
      await using one = await open();
      await using other = await reopen(one);
      const writer = await TestWriter.claim(one, "s");
      for (let n = 1; n <= 20; n++) {
        await writer.append(`${n}`);
        expect(await other.tail("s")).toEqual(await one.tail("s"));
      }
    });
  });
}
