import { describe, expect, test } from "vitest";
import { Author, told, type Open } from "./author.ts";

export function numbering(open: Open): void {
  describe("numbering", () => {
    test("a session that nobody knows is empty", async () => {
      await using journal = await open();
      expect(await journal.tail("nobody's")).toEqual({ epoch: 0, last: 0, fence: 0n, owner: "" });
      expect(await Array.fromAsync(journal.read("nobody's", 0))).toEqual([]);
      expect(await Array.fromAsync(journal.sessions())).toEqual([]);
    });

    test("the tail says where the log ends, whose it is and what the next append must carry", async () => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      expect(await journal.tail("s")).toEqual({ epoch: 1, last: 0, fence: author.fence, owner: "author" });
      await author.append("a", "b", "c");
      expect(await journal.tail("s")).toEqual({ epoch: 1, last: 3, fence: author.fence, owner: "author" });
    });

    test.for([
      ["that leaves a gap", 3],
      ["that goes back", 1],
    ] as const)("a frame %s is refused, and the log stays as it was", async ([, first]) => {
      await using journal = await open();
      const author = await Author.claim(journal, "s");
      await author.append("a");
      const frame = { ...author.next("b"), first };
      await expect(journal.append(frame, author.fence)).rejects.toMatchObject({ code: "fenced" });
      await author.append("c");
      expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(["1: a", "2: c"]);
    });

    test("two sessions do not disturb each other", async () => {
      await using journal = await open();
      const names = ["s", "S", "s.1", "s > *", "naïve 🪢", "s/../s"];
      const authors = await Promise.all(names.map((name) => Author.claim(journal, name)));
      for (let round = 1; round <= 5; round++) {
        await Promise.all(authors.map((author) => author.append(`${author.session} ${round}`)));
      }
      for (const name of names) {
        const expected = [1, 2, 3, 4, 5].map((round) => `${round}: ${name} ${round}`);
        expect(told(await Array.fromAsync(journal.read(name, 0)))).toEqual(expected);
      }
    });

    test("sessions are listed with their tails, the newest activity first", async () => {
      await using journal = await open();
      const one = await Author.claim(journal, "one");
      const two = await Author.claim(journal, "two");
      await Author.claim(journal, "three");
      await two.append("a");
      await one.append("b", "c");
      const listed = await Array.fromAsync(journal.sessions());
      expect(listed.map(({ session }) => session)).toEqual(["one", "two", "three"]);
      for (const { session, tail } of listed) expect(tail).toEqual(await journal.tail(session));
    });
  });
}
