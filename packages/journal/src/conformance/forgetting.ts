import { describe, expect, test } from "vitest";
import type { Frame } from "../event-log.ts";
import { Author, told, type Open, type Reopen } from "./author.ts";
import { timely } from "./watching.ts";

const nobodys = { epoch: 0, last: 0, fence: 0n, owner: "" };

export function forgetting(open: Open, reopen: Reopen | undefined): void {
  describe("forgetting", () => {
    test("a session that is forgotten is one that nobody knows, and the others are as they were", async () => {
      await using journal = await open();
      const before = await Author.claim(journal, "before");
      const gone = await Author.claim(journal, "gone");
      const after = await Author.claim(journal, "gone too");
      for (const author of [before, after, gone]) await author.append("1", "2");
      await journal.forget("gone", gone.fence);

      expect(await journal.tail("gone")).toEqual(nobodys);
      expect(await Array.fromAsync(journal.read("gone", 0))).toEqual([]);
      expect((await Array.fromAsync(journal.sessions())).map(({ session }) => session)).toEqual(["gone too", "before"]);
      for (const author of [before, after]) {
        await author.append("3");
        expect(told(await Array.fromAsync(journal.read(author.session, 0)))).toEqual(["1: 1", "2: 2", "3: 3"]);
      }
    });

    test("only who knows the end of a session may have it forgotten", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      const old = author.fence;
      await author.append("a");
      await expect(journal.forget("s", old)).rejects.toMatchObject({ code: "fenced" });
      await expect(journal.forget("s", 0n)).rejects.toMatchObject({ code: "fenced" });
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a"]);
    });

    test("who forgets and who appends at the same moment cannot both succeed", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      for (let round = 0; round < 10; round++) {
        const author = await Author.claim(journal, `s${round}`);
        await author.append("1");
        const fence = author.fence;
        const forget = (): Promise<void> => (second ?? journal).forget(author.session, fence);
        const append = (): Promise<void> => author.append("2");
        const attempts = round % 2 === 0 ? [append(), forget()] : [forget(), append()];
        const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status);
        expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
      }
    });

    test("a fence from before is never good again, though the session be claimed and written as it was", async () => {
      await using journal = await open();
      const before = await Author.claim(journal, "s");
      const fences = [before.fence];
      for (const text of ["a", "b"]) {
        await before.append(text);
        fences.push(before.fence);
      }
      await journal.forget("s", before.fence);
      const again = await Author.claim(journal, "s");
      expect(again).toMatchObject({ epoch: 1, last: 0 });
      expect(fences).not.toContain(again.fence);
      for (const text of ["a", "b"]) {
        await again.append(text);
        expect(fences).not.toContain(again.fence);
      }
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a", "2: b"]);
    });

    test("who watches another session misses nothing of it", async () => {
      await using journal = await open();
      await using second = await reopen?.(journal);
      const watched = await Author.claim(journal, "watched");
      await watched.append("1");
      const watchers = [journal, second ?? journal].map((through) => through.watch("watched", 0, timely()));
      const begun = watchers.map((frames) => frames[Symbol.asyncIterator]());
      for (const watcher of begun) await watcher.next();
      const waiting = begun.map((watcher) => watcher.next());
      const gone = await Author.claim(journal, "gone");
      await gone.append("the newest of all");
      await journal.forget("gone", gone.fence);
      await watched.append("2");
      for (const next of waiting) expect(told([(await next).value as Frame])).toEqual(["2: 2"]);
    });

    if (reopen === undefined) return;
    test("it stays forgotten", async () => {
      const before = await open();
      const kept = await Author.claim(before, "kept");
      const gone = await Author.claim(before, "gone");
      await before.forget("gone", gone.fence);
      await before[Symbol.asyncDispose]();

      await using after = await reopen(before);
      expect(await after.tail("gone")).toEqual(nobodys);
      expect((await Array.fromAsync(after.sessions())).map(({ session }) => session)).toEqual(["kept"]);
      await after.append(kept.next("a"), kept.fence);
      expect((await Author.claim(after, "gone")).fence).not.toBe(gone.fence);
    });
  });
}
