import { describe, expect, test } from "vitest";
import { Author, counted, told, type Open } from "./author.ts";

export function reading(open: Open): void {
  describe("reading", () => {
    test("begins after any number, cuts frames there, and stops at any limit", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      for (const frame of [["1", "2", "3"], ["4"], ["5", "6"], ["7", "8", "9", "10"]]) await author.append(...frame);
      for (let after = 0; after <= 11; after++) {
        for (const limit of [undefined, 0, 1, 2, 3, 5, 100]) {
          const frames = await Array.fromAsync(journal.read("s", after, limit === undefined ? {} : { limit }));
          const last = Math.min(10, after + (limit ?? 10));
          expect(told(frames)).toEqual(last > after ? counted(last, after) : []);
          expect(frames.every(({ events }) => events.length > 0)).toBe(true);
        }
      }
    });

    test("gives frames as they were written, and leaves claims out", async () => {
      await using journal = await open();
      const old = await Author.claim(journal, "s", "old");
      await old.append("1", "2");
      const heir = await Author.claim(journal, "s", "heir");
      await heir.append("3");
      const frames = await Array.fromAsync(journal.read("s", 0));
      expect(frames.map(({ events, ...rest }) => ({ ...rest, count: events.length }))).toEqual([
        { session: "s", epoch: 1, first: 1, owner: "old", count: 2 },
        { session: "s", epoch: 2, first: 3, owner: "heir", count: 1 },
      ]);
    });

    test("events are bytes, and come back as they were when append was called", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const frame = {
        ...author.next(),
        events: [every, new Uint8Array(), Buffer.from("\n\0\n"), every.subarray(9, 20)],
      };
      const expected = frame.events.map((event) => [...event]);
      const appended = journal.append(frame, author.fence);
      every.fill(0);
      await appended;
      const [found] = await Array.fromAsync(journal.read("s", 0));
      expect(found?.events.map((event) => [...event])).toEqual(expected);
    });

    test("frames of a mebibyte", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      for (let n = 0; n < 5; n++) await author.append(`${n}`.repeat(1 << 20));
      const frames = await Array.fromAsync(journal.read("s", 0));
      const texts = frames.map(({ events }) => Buffer.from(events[0] ?? []).toString());
      expect(texts.map((text) => [text.length, new Set(text)])).toEqual(
        [0, 1, 2, 3, 4].map((n) => [1 << 20, new Set(`${n}`)]),
      );
    });

    test("many small frames", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      for (let n = 1; n <= 2_000; n++) await author.append(`${n}`);
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(counted(2_000));
      expect(told(await Array.fromAsync(journal.read("s", 1_990)))).toEqual(counted(2_000, 1_990));
    });

    test("stops with the signal's reason", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      for (let n = 1; n <= 5; n++) await author.append(`${n}`);
      const controller = new AbortController();
      const seen: string[] = [];
      const reader = (async () => {
        for await (const frame of journal.read("s", 0, { signal: controller.signal })) {
          seen.push(...told([frame]));
          if (frame.first === 2) controller.abort(new Error("enough"));
        }
      })();
      await expect(reader).rejects.toThrow("enough");
      expect(seen).toEqual(counted(2));
    });
  });
}
