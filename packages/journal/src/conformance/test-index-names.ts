import { describe, expect, test } from "vitest";
import { readAllPages, testRow, type OpenIndex, type ReopenIndex } from "./test-index-rows.ts";

export function testIndexNames(open: OpenIndex, reopen: ReopenIndex | undefined): void {
  const holder = (session: string) => ({ session, owner: `owner of ${session}` });

  describe("names", () => {
    test("one of any number of callers takes a free name, and one of them takes it over", async () => {
      await using index = await open();
      await using other = await reopen?.(index);
      for (let round = 0; round < 20; round++) {
        const name = `name ${round}`;
        const race = async (prefix: string, replaces?: string): Promise<string> => {
          const callers = Array.from({ length: 8 }, (_, n) => holder(`${prefix}${n}`));
          const answers = await Promise.all(
            callers.map((caller, n) => (n % 2 === 0 ? index : (other ?? index)).take(name, caller, replaces)),
          );
          const winners = callers.filter((caller, n) => answers[n]?.session === caller.session);
          expect(winners).toHaveLength(1);
          expect(new Set(answers.map(({ session }) => session)).size).toBe(1);
          return winners[0]?.session ?? "";
        };
        const first = await race("a");
        await race("b", first);
      }
    });

    test("a name is not taken from a session that the caller does not expect", async () => {
      await using index = await open();
      expect(await index.take("n", holder("a"))).toEqual(holder("a"));
      expect(await index.take("n", holder("b"))).toEqual(holder("a"));
      expect(await index.take("n", holder("b"), "c")).toEqual(holder("a"));
      expect(await index.take("n", holder("b"), "a")).toEqual(holder("b"));
      expect(await index.take("n", holder("a"), "a")).toEqual(holder("b"));
      expect(await index.take("m", holder("a"))).toEqual(holder("a"));
    });

    test("taking a name again is no conflict, and stores the new owner", async () => {
      await using index = await open();
      await index.take("n", holder("a"));
      expect(await index.take("n", { session: "a", owner: "next" })).toEqual({ session: "a", owner: "next" });
      expect(await index.take("n", holder("b"))).toEqual({ session: "a", owner: "next" });
    });

    test("a released name is free, and only its holder releases it", async () => {
      await using index = await open();
      await index.take("n", holder("a"));
      await index.release("n", "b");
      expect(await index.take("n", holder("b"))).toEqual(holder("a"));
      await index.release("n", "a");
      expect(await index.take("n", holder("b"), "a")).toEqual(holder("b"));
    });

    test("a removed session releases its name", async () => {
      await using index = await open();
      await index.put(testRow({ session: "a", name: "n" }));
      await index.take("n", holder("a"));
      await index.remove("a");
      expect(await index.take("n", holder("b"))).toEqual(holder("b"));
    });
  });

  describe("reopening", () => {
    test("rejects all operations on a closed index", async () => {
      const index = await open();
      await index.put(testRow({ session: "s" }));
      await index[Symbol.asyncDispose]();
      const closed = { code: "unavailable" };
      await expect(index.put(testRow({ session: "s" }))).rejects.toMatchObject(closed);
      await expect(index.get("s")).rejects.toMatchObject(closed);
      await expect(index.page({})).rejects.toMatchObject(closed);
      await expect(index.count({})).rejects.toMatchObject(closed);
      await expect(index.take("n", holder("s"))).rejects.toMatchObject(closed);
      await expect(index.readPosition()).rejects.toMatchObject(closed);
      await index[Symbol.asyncDispose]();
    });

    if (reopen === undefined) return;
    test("keeps rows, names and the position", async () => {
      const before = await open();
      const rows = ["a", "b"].map((session) => testRow({ session, content: `of ${session}` }));
      // Not awaited one by one: closing waits for writes that were accepted.
      const writes = Promise.all([...rows.map((row) => before.put(row)), before.take("n", holder("a"))]);
      await before.writePosition("7");
      await before[Symbol.asyncDispose]();
      await writes;
      await using after = await reopen(before);
      expect(await readAllPages(after, {}, { order: "session" })).toEqual(rows);
      expect(await after.take("n", holder("b"))).toEqual(holder("a"));
      expect(await after.readPosition()).toBe("7");
      expect(await after.count({})).toEqual([{ agent: "agent", state: "idle", count: 2 }]);
    });

    test("two indexes on one storage have the same rows", async () => {
      await using one = await open();
      await using other = await reopen(one);
      for (let last = 1; last <= 20; last++) {
        await (last % 2 === 0 ? one : other).put(testRow({ session: "s", last }));
        expect(await other.get("s")).toEqual(await one.get("s"));
        expect(await one.get("s")).toMatchObject({ last });
      }
    });
  });
}
