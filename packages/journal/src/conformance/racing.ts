import { FairleadError } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import type { Journal } from "../ownership.ts";
import { Author, counted, told, type Open, type Reopen } from "./author.ts";

const writers = 8;

export function racing(open: Open, reopen: Reopen | undefined): void {
  describe("racing", () => {
    test("of eight appends with one fence exactly one is written, round after round", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const author = await Author.claim(journal, "s");
      const winners: string[] = [];
      for (let round = 1; round <= 100; round++) {
        const attempts = Array.from({ length: writers }, async (_, writer) => {
          const through = writer % 2 === 0 ? journal : (second ?? journal);
          const text = `${round} by ${writer}`;
          return { text, fence: await through.append(author.next(text), author.fence) };
        });
        const won = (await Promise.allSettled(attempts)).flatMap((outcome) => {
          if (outcome.status === "fulfilled") return [outcome.value];
          expect(outcome.reason).toMatchObject({ code: "fenced" });
          return [];
        });
        expect(won).toHaveLength(1);
        winners.push(`${round}: ${won[0]?.text}`);
        author.fence = won[0]?.fence ?? 0n;
        author.last++;
      }
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(winners);
    });

    test("of many claims at once each gets an epoch of its own, and the last alone may append", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const authors = await Promise.all(
        Array.from({ length: 24 }, (_, n) => Author.claim(n % 2 === 0 ? journal : (second ?? journal), "s", `${n}`)),
      );
      authors.sort((one, other) => one.epoch - other.epoch);
      expect(authors.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
      const outcomes = await Promise.allSettled(authors.map((author) => author.append(author.owner)));
      expect(outcomes.map(({ status }) => status)).toEqual([...Array(23).fill("rejected"), "fulfilled"]);
    });

    test("takeovers while owners append as fast as they can: no claim waits for ever, no stale write lands", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const reigns: Promise<number>[] = [];
      for (let reign = 0; reign < 30; reign++) {
        const author = await Author.claim(reign % 2 === 0 ? journal : (second ?? journal), "s", `${reign}`);
        // The reign before has ended by now, whether its owner has noticed or not.
        const begun = Promise.withResolvers<void>();
        reigns.push(rule(author, begun.resolve));
        await begun.promise;
      }
      const end = await journal.claim("s", "end");
      const acknowledged = (await Promise.all(reigns)).reduce((sum, count) => sum + count, 0);
      const frames = await Array.fromAsync(journal.read("s", 0));
      expect(told(frames)).toEqual(counted(acknowledged));
      expect(end).toMatchObject({ epoch: 31, last: acknowledged });
      const epochs = frames.map(({ epoch }) => epoch);
      expect(epochs).toEqual(epochs.toSorted((one, other) => one - other));
    });

    test("appends of many sessions at once, some of them stale: only the stale ones fail", async () => {
      await using journal = await open();
      const stale = await claimAll(journal, "stale");
      await claimAll(journal, "stale");
      const fresh = await claimAll(journal, "fresh");
      const mixed = [...fresh, ...stale].toSorted((one, other) =>
        one.session.slice(-2).localeCompare(other.session.slice(-2)),
      );
      const outcomes = await Promise.allSettled(mixed.map((author) => author.append("1")));
      const failed = mixed.filter((_, index) => outcomes[index]?.status === "rejected");
      expect(new Set(failed)).toEqual(new Set(stale));
      for (const { session } of fresh) expect((await journal.tail(session)).last).toBe(1);
      for (const { session } of stale) expect((await journal.tail(session)).last).toBe(0);
    });
  });
}

/** Appends until fenced, and then goes on trying a while as a zombie would; gives the number of acknowledged events. */
async function rule(author: Author, begun: () => void): Promise<number> {
  const before = author.last;
  for (let refusals = 0; refusals < 5;) {
    try {
      await author.append(`${author.last + 1}`);
      expect(refusals).toBe(0);
    } catch (error) {
      if (!FairleadError.is(error, "fenced")) throw error;
      refusals++;
    }
    if (author.last >= before + 3 || refusals > 0) begun();
  }
  return author.last - before;
}

function claimAll(journal: Journal, kind: string): Promise<Author[]> {
  return Promise.all(Array.from({ length: 20 }, (_, n) => Author.claim(journal, `${kind} ${n}`)));
}
