import { describe, expect, test } from "vitest";
import { Author, told, type Open } from "./author.ts";

export function owning(open: Open): void {
  describe("owning", () => {
    test("nobody appends to a session without a claim", async () => {
      await using journal = await open();
      const frame = { session: "s", epoch: 0, first: 1, events: [Buffer.from("a")], owner: "nobody" };
      await expect(journal.append(frame, 0n)).rejects.toMatchObject({ code: "fenced" });
      expect(await Array.fromAsync(journal.sessions())).toEqual([]);
    });

    test("a claim is fenced off by the next one, and numbering goes on", async () => {
      await using journal = await open();
      const old = await Author.claim(journal, "s", "old");
      await old.append("a", "b");
      const heir = await Author.claim(journal, "s", "heir");
      expect(heir).toMatchObject({ epoch: 2, last: 2 });
      await expect(old.append("late")).rejects.toMatchObject({ code: "fenced" });
      await heir.append("c");
      await expect(old.append("later")).rejects.toMatchObject({ code: "fenced" });
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a", "2: b", "3: c"]);
    });

    test("the same owner's second claim fences its first", async () => {
      await using journal = await open();
      const before = await Author.claim(journal, "s", "same");
      const after = await Author.claim(journal, "s", "same");
      await expect(before.append("late")).rejects.toMatchObject({ code: "fenced" });
      await after.append("a");
    });

    test("the right fence does not help under the wrong epoch", async () => {
      await using journal = await open();
      await Author.claim(journal, "s", "old");
      const heir = await Author.claim(journal, "s", "heir");
      for (const epoch of [0, 1, 3]) {
        const frame = { ...heir.next("a"), epoch };
        await expect(journal.append(frame, heir.fence)).rejects.toMatchObject({ code: "fenced" });
      }
      await heir.append("a");
    });

    test("a claim is an append without events and with the next epoch; without the next epoch it is refused", async () => {
      await using journal = await open();
      const old = await Author.claim(journal, "s", "old");
      await expect(journal.append(old.next(), old.fence)).rejects.toMatchObject({ code: "fenced" });
      const fence = await journal.append({ ...old.next(), epoch: 2, owner: "heir" }, old.fence);
      expect(await journal.tail("s")).toEqual({ epoch: 2, last: 0, fence, owner: "heir" });
      await expect(old.append("late")).rejects.toMatchObject({ code: "fenced" });
    });

    test("another session's fence is worth nothing", async () => {
      await using journal = await open();
      const mine = await Author.claim(journal, "mine");
      const other = await Author.claim(journal, "other");
      await expect(journal.append(mine.next("a"), other.fence)).rejects.toMatchObject({ code: "fenced" });
    });
  });
}
