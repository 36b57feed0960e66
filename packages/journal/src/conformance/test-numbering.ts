import { describe, expect, test } from "vitest";
import { TestWriter, formatEvents, type OpenJournal } from "./test-writer.ts";

export function testNumbering(open: OpenJournal): void {
  describe("numbering", () => {
    test("returns an empty log for an unknown session", async () => {
      await using journal = await open();
      expect(await journal.tail("unknown")).toEqual({ epoch: 0, last: 0, fence: 0n, owner: "" });
      expect(await Array.fromAsync(journal.read("unknown", 0))).toEqual([]);
      expect(await Array.fromAsync(journal.sessions())).toEqual([]);
    });

    test("returns the last sequence, the owner and the fence as the tail", async () => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      expect(await journal.tail("s")).toEqual({ epoch: 1, last: 0, fence: writer.fence, owner: "writer" });
      await writer.append("a", "b", "c");
      expect(await journal.tail("s")).toEqual({ epoch: 1, last: 3, fence: writer.fence, owner: "writer" });
    });

    test.for([
      ["leaves a gap", 3],
      ["repeats a sequence", 1],
    ] as const)("rejects a batch that %s and leaves the log unchanged", async ([, first]) => {
      await using journal = await open();
      const writer = await TestWriter.claim(journal, "s");
      await writer.append("a");
      const batch = { ...writer.nextBatch("b"), first };
      await expect(journal.append(batch, writer.fence)).rejects.toMatchObject({ code: "fenced" });
      await writer.append("c");
      expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a", "2: c"]);
    });

    test("numbers each session separately", async () => {
      await using journal = await open();
      const names = ["s", "S", "s.1", "s > *", "naïve 🪢", "s/../s"];
      const writers = await Promise.all(names.map((name) => TestWriter.claim(journal, name)));
      for (let round = 1; round <= 5; round++) {
        await Promise.all(writers.map((writer) => writer.append(`${writer.session} ${round}`)));
      }
      for (const name of names) {
        const expected = [1, 2, 3, 4, 5].map((round) => `${round}: ${name} ${round}`);
        expect(formatEvents(await Array.fromAsync(journal.read(name, 0)))).toEqual(expected);
      }
    });

    test("lists sessions with their tails, newest activity first", async () => {
      await using journal = await open();
      const one = await TestWriter.claim(journal, "one");
      const two = await TestWriter.claim(journal, "two");
      await TestWriter.claim(journal, "three");
      await two.append("a");
      await one.append("b", "c");
      const listed = await Array.fromAsync(journal.sessions());
      expect(listed.map(({ session }) => session)).toEqual(["one", "two", "three"]);
      for (const { session, tail } of listed) expect(tail).toEqual(await journal.tail(session));
    });
  });
}
