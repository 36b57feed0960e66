import { lawfulSession } from "@fairlead/testing/web/lawful-session.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { continuedKey } from "./continue-row.ts";
import { emptyWindow, withPlace } from "./event-window.ts";
import { canShow, findRow } from "./find-row.ts";
import { readPlace } from "./read-place.ts";
import { listRows, rowAt } from "./row-list.ts";

test("every event has a row to jump to, wherever the pages end", async () => {
  await fc.assert(
    fc.asyncProperty(lawfulSession({ maxLength: 120 }), fc.integer({ min: 1, max: 12 }), async (events, pageSize) => {
      const empty = emptyWindow(events.length, pageSize);
      for (let number = 1; number <= events.length; number++) {
        const place = await readPlace(empty, number, ({ after, limit }) =>
          Promise.resolve(events.slice(after, after + limit)),
        );
        const window = withPlace(empty, place);
        const rows = listRows(window);
        expect(canShow(window, number)).toBe(true);
        const row = rowAt(rows, findRow(window, number));
        expect(row?.first).toBeLessThanOrEqual(number);
      }
    }),
  );
});

test("an event of a call leads to the row of the call, whatever came between", () => {
  fc.assert(
    fc.property(lawfulSession(), (events) => {
      const empty = emptyWindow(events.length, 8);
      const window = withPlace(empty, events);
      const rows = listRows(window);
      for (const { sequence, body } of events) {
        if (body.type !== "tool.ended") continue;
        const key = continuedKey(body);
        const begin = events.findLast(
          (one) => one.sequence < sequence && one.body.type === "tool.requested" && continuedKey(one.body) === key,
        );
        const row = rowAt(rows, findRow(window, sequence));
        const isReused = events.some(
          (one) => one.sequence > sequence && one.body.type === "tool.requested" && continuedKey(one.body) === key,
        );
        if (begin === undefined || isReused || row === undefined) continue;
        const calls = row.type === "lookups" ? row.calls : [row];
        expect(calls.map(({ first }) => first)).toContain(begin.sequence);
      }
    }),
  );
});
