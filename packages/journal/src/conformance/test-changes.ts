import { describe, expect, test } from "vitest";
import { TestWriter, type OpenJournal } from "./test-writer.ts";

export function testChanges(open: OpenJournal): void {
  describe("changes", () => {
    test("lists the sessions with claims or events after a position, newest activity first", async () => {
      await using journal = await open();
      const empty = await journal.changes(null);
      expect(await journal.changes(empty.position)).toMatchObject({ sessions: [], hasAll: true });
      expect(empty.sessions).toEqual([]);
      const [first, second] = [await TestWriter.claim(journal, "first"), await TestWriter.claim(journal, "second")];
      await first.append("1");
      const all = await journal.changes(null);
      expect(all.sessions).toEqual(["first", "second"]);
      expect((await journal.changes(empty.position)).sessions).toEqual(["first", "second"]);
      expect((await journal.changes(all.position)).sessions).toEqual([]);
      await second.append("1");
      const later = await journal.changes(all.position);
      expect(later.sessions).toEqual(["second"]);
      await TestWriter.claim(journal, "first", "successor");
      expect((await journal.changes(later.position)).sessions).toEqual(["first"]);
      expect((await journal.changes(all.position)).sessions).toEqual(["first", "second"]);
    });

    test("leaves out forgotten sessions, and lists a session that was claimed again", async () => {
      await using journal = await open();
      const forgotten = await TestWriter.claim(journal, "forgotten");
      await TestWriter.claim(journal, "remaining");
      const { position } = await journal.changes(null);
      await forgotten.append("1");
      await journal.forget("forgotten", forgotten.fence);
      expect((await journal.changes(null)).sessions).toEqual(["remaining"]);
      const afterwards = await journal.changes(position);
      expect(afterwards.sessions).toEqual([]);
      await TestWriter.claim(journal, "forgotten");
      expect((await journal.changes(afterwards.position)).sessions).toEqual(["forgotten"]);
    });

    test("lists all sessions for a position that the log has not reached", async () => {
      await using longer = await open();
      const writer = await TestWriter.claim(longer, "s");
      for (let n = 1; n <= 20; n++) await writer.append(`${n}`);
      const { position } = await longer.changes(null);
      await using shorter = await open();
      await TestWriter.claim(shorter, "t");
      expect(await shorter.changes(position)).toMatchObject({ sessions: ["t"], hasAll: true });
      const reached = await shorter.changes(null);
      expect(reached.hasAll).toBe(true);
      expect((await shorter.changes(reached.position)).hasAll).toBe(false);
    });

    test("misses no session while others append", async () => {
      await using journal = await open();
      const writers = await Promise.all(["a", "b", "c"].map((session) => TestWriter.claim(journal, session)));
      let { position } = await journal.changes(null);
      for (let round = 0; round < 30; round++) {
        const appends = Promise.all(writers.map((writer) => writer.append(`${round}`)));
        const during = await journal.changes(position);
        await appends;
        const rest = await journal.changes(during.position);
        expect(new Set([...during.sessions, ...rest.sessions])).toEqual(new Set(["a", "b", "c"]));
        ({ position } = rest);
      }
    });
  });
}
