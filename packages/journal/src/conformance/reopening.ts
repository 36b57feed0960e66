import { describe, expect, test } from "vitest";
import { Author, told, type Open, type Reopen } from "./author.ts";

export function reopening(open: Open, reopen: Reopen): void {
  describe("reopening", () => {
    test("what was written is there, fences are still good, and the order of sessions too", async () => {
      const before = await open();
      const author = await Author.claim(before, "s");
      await author.append("a", "b");
      await Author.claim(before, "t");
      await before[Symbol.asyncDispose]();

      await using after = await reopen(before);
      expect(await after.tail("s")).toEqual({ epoch: 1, last: 2, fence: author.fence, owner: "author" });
      await after.append(author.next("c"), author.fence);
      expect(told(await Array.fromAsync(after.read("s", 0)))).toEqual(["1: a", "2: b", "3: c"]);
      expect((await Array.fromAsync(after.sessions())).map(({ session }) => session)).toEqual(["s", "t"]);
    });

    test("appends under way when the log is closed are written or fail, and the caller knows which", async () => {
      const before = await open();
      const authors = await Promise.all(["a", "b", "c"].map((session) => Author.claim(before, session)));
      const appends = Promise.allSettled(authors.map((author) => author.append("1")));
      await before[Symbol.asyncDispose]();
      const outcomes = await appends;

      await using after = await reopen(before);
      for (const [index, { session }] of authors.entries()) {
        expect((await after.tail(session)).last).toBe(outcomes[index]?.status === "fulfilled" ? 1 : 0);
      }
    });

    test("nothing can be done with a closed log", async () => {
      const journal = await open();
      const author = await Author.claim(journal, "s");
      await journal[Symbol.asyncDispose]();
      const closed = { code: "unavailable" };
      await expect(author.append("a")).rejects.toMatchObject(closed);
      await expect(journal.claim("s", "late")).rejects.toMatchObject(closed);
      await expect(journal.tail("s")).rejects.toMatchObject(closed);
      await expect(Array.fromAsync(journal.read("s", 0))).rejects.toMatchObject(closed);
      await expect(Array.fromAsync(journal.sessions())).rejects.toMatchObject(closed);
      await journal[Symbol.asyncDispose]();
    });

    test("a handle sees at once what another has written", async () => {
      await using one = await open();
      await using other = await reopen(one);
      const author = await Author.claim(one, "s");
      for (let n = 1; n <= 20; n++) {
        await author.append(`${n}`);
        expect(await other.tail("s")).toEqual(await one.tail("s"));
      }
    });
  });
}
