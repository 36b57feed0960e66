import { describe, expect, test } from "vitest";
import type { SessionIndex, SessionRowChange, SessionRowQuery } from "../session-index.ts";
import { testRow, type OpenIndex, type ReopenIndex } from "./test-index-rows.ts";
import { createTestDeadline } from "./test-watching.ts";

export function testIndexWatching(open: OpenIndex, reopen: ReopenIndex | undefined): void {
  describe("watching", () => {
    test("yields existing rows, then changes by any process, until the watcher has the newest of each", async () => {
      await using index = await open();
      await using other = await reopen?.(index);
      const sessions = ["a", "b", "c"];
      for (const session of sessions) await index.put(testRow({ session }));
      const watchers = [index, other ?? index].map((handle) =>
        watchUntil(handle, {}, (known) => sessions.every((session) => known.get(session) === 40)),
      );
      for (let last = 2; last <= 40; last++) {
        await Promise.all(
          sessions.map((session, n) => ((last + n) % 2 ? index : (other ?? index)).put(testRow({ session, last }))),
        );
      }
      for (const known of await Promise.all(watchers)) {
        expect(Object.fromEntries(known)).toEqual({ a: 40, b: 40, c: 40 });
      }
    });

    test("yields null for a row that is removed, or no longer matches", async () => {
      await using index = await open();
      await index.put(testRow({ session: "answered", state: "waiting" }));
      await index.put(testRow({ session: "forgotten", state: "waiting" }));
      await index.put(testRow({ session: "ended", state: "ended" }));
      const changes = index.watch({ states: ["waiting"] }, createTestDeadline())[Symbol.asyncIterator]();
      const next = async (count: number): Promise<string[]> => {
        const found: SessionRowChange[] = [];
        while (found.length < count) found.push((await changes.next()).value as SessionRowChange);
        return found.map(({ session, row }) => `${session} ${row?.state ?? null}`).toSorted();
      };
      expect(await next(2)).toEqual(["answered waiting", "forgotten waiting"]);
      await index.put(testRow({ session: "answered", last: 2, state: "working" }));
      await index.put(testRow({ session: "ended", last: 2, state: "ended" }));
      expect(await next(1)).toEqual(["answered null"]);
      await index.remove("forgotten");
      expect(await next(1)).toEqual(["forgotten null"]);
      await index.put(testRow({ session: "answered", last: 3, state: "waiting" }));
      expect(await next(1)).toEqual(["answered waiting"]);
      await changes.return?.();
    });

    test.for(["before it starts", "while it waits", "while it reads existing rows"] as const)(
      "returns without an error when the signal aborts %s",
      async (moment) => {
        await using index = await open();
        for (const session of ["a", "b"]) await index.put(testRow({ session }));
        const controller = new AbortController();
        if (moment === "before it starts") controller.abort();
        const received: string[] = [];
        for await (const { session } of index.watch({}, controller.signal)) {
          received.push(session);
          if (moment === "while it reads existing rows") controller.abort();
          // By then the watch has found nothing more to read and waits.
          else if (session === "b") setTimeout(() => controller.abort(), 20);
        }
        expect(received).toHaveLength(
          { "before it starts": 0, "while it waits": 2, "while it reads existing rows": 1 }[moment],
        );
      },
    );

    test("throws when the index is closed during the watch", async () => {
      const index = await open();
      await index.put(testRow({ session: "s" }));
      const watcher = index.watch({}, createTestDeadline())[Symbol.asyncIterator]();
      await watcher.next();
      const outcome = expect(watcher.next()).rejects.toMatchObject({ code: "unavailable" });
      await index[Symbol.asyncDispose]();
      await outcome;
    });
  });
}

/** Watches until the condition is true of the last sequence of each session. Without it, returns at the deadline. */
async function watchUntil(
  index: SessionIndex,
  query: SessionRowQuery,
  isDone: (known: ReadonlyMap<string, number>) => boolean,
): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  for await (const { session, row } of index.watch(query, createTestDeadline())) {
    expect(row?.last).toBeGreaterThanOrEqual(known.get(session) ?? 0);
    known.set(session, row?.last ?? 0);
    if (isDone(known)) break;
  }
  return known;
}
