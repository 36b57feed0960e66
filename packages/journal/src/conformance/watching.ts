import { describe, expect, test } from "vitest";
import type { Frame } from "../event-log.ts";
import { Author, counted, told, type Open, type Reopen } from "./author.ts";

export function watching(open: Open, reopen: Reopen | undefined): void {
  describe("watching", () => {
    test("watchers that begin at any moment see each event once, in order, while others append", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const last = 300;
      const author = await Author.claim(journal, "s");
      const noise = await Author.claim(journal, "noise");
      const watchers: Promise<string[]>[] = [];
      while (author.last < last) {
        const after = Math.max(0, author.last - (author.last % 7));
        const through = author.last % 2 === 0 ? journal : (second ?? journal);
        if (author.last % 10 < 3) watchers.push(watchUntil(through.watch("s", after, timely()), last));
        const count = Math.min(1 + (author.last % 3), last - author.last);
        await Promise.all([author.append(...numbers(author.last, count)), noise.append("noise")]);
      }
      for (const seen of await Promise.all(watchers)) expect(seen).toEqual(counted(last, last - seen.length));
      expect(watchers.length).toBeGreaterThan(30);
    });

    test("a session can be watched before anybody has claimed it", async () => {
      await using journal = await open();
      const watcher = watchUntil(journal.watch("s", 0, timely()), 2);
      const author = await Author.claim(journal, "s");
      await author.append("1");
      await author.append("2");
      expect(await watcher).toEqual(counted(2));
    });

    test("watching after a number that is still to come begins there", async () => {
      await using journal = await open();
      const watcher = watchUntil(journal.watch("s", 3, timely()), 5);
      const author = await Author.claim(journal, "s");
      await author.append("1", "2");
      await author.append("3", "4");
      await author.append("5");
      expect(await watcher).toEqual(counted(5, 3));
    });

    test("a watch outlives takeovers", async () => {
      await using journal = await open();
      const watcher = watchUntil(journal.watch("s", 0, timely()), 10);
      for (let n = 1; n <= 10; n++) await (await Author.claim(journal, "s", `${n}`)).append(`${n}`);
      expect(await watcher).toEqual(counted(10));
    });

    test.for(["before it begins", "while it waits", "in the middle of the history"] as const)(
      "ends quietly when the signal aborts %s",
      async (moment) => {
        await using journal = await open();
        const author = await Author.claim(journal, "s");
        await author.append("1");
        await author.append("2");
        const controller = new AbortController();
        if (moment === "before it begins") controller.abort();
        const seen: string[] = [];
        for await (const frame of journal.watch("s", 0, controller.signal)) {
          seen.push(...told([frame]));
          if (moment === "in the middle of the history") controller.abort();
          // By then the watch has found nothing more to read, and waits.
          else if (frame.first === 2) setTimeout(() => controller.abort(), 20);
        }
        expect(seen).toEqual(
          counted({ "before it begins": 0, "while it waits": 2, "in the middle of the history": 1 }[moment]),
        );
      },
    );

    test("a watch does not end as if all were well when the log is closed under it", async () => {
      const journal = await open();
      const author = await Author.claim(journal, "s");
      await author.append("1");
      const watcher = journal.watch("s", 0, timely())[Symbol.asyncIterator]();
      await watcher.next();
      const more = watcher.next();
      const outcome = expect(more).rejects.toMatchObject({ code: "unavailable" });
      await journal[Symbol.asyncDispose]();
      await outcome;
    });
  });
}

// A watch that misses something would wait for ever; this one ends short, and the comparison says what is missing.
export function timely(): AbortSignal {
  return AbortSignal.timeout(4_000);
}

async function watchUntil(frames: AsyncIterable<Frame>, last: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const frame of frames) {
    seen.push(...told([frame]));
    if (frame.first + frame.events.length > last) break;
  }
  return seen;
}

function numbers(after: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${after + index + 1}`);
}
