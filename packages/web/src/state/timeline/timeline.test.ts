import type { Event } from "@fairlead/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lawfulSession } from "@fairlead/testing/web/lawful-session.ts";
import {
  emptyWindow,
  type EventWindow,
  isAtHead,
  withArrivals,
  withoutFarPages,
  withPage,
  withPlace,
  withRecent,
} from "./event-window.ts";
import { missingPages, requestPageOf } from "./missing-pages.ts";
import { indexOfNumber, listRows, rowAt } from "./row-list.ts";
import { appendEvents, emptyTimeline, heldRange } from "./timeline.ts";
import type { TimelineRow } from "./timeline-row.ts";

const pageSize = 8;

function rowsOf(window: EventWindow): TimelineRow[] {
  const list = listRows(window);
  return Array.from({ length: list.count }, (_, index) => rowAt(list, index)!);
}

function wholeWindow(events: readonly Event[]): EventWindow {
  return { ...emptyWindow(events.length, pageSize), timeline: appendEvents(emptyTimeline(pageSize), events) };
}

/** The rows that a window must show: those of the whole session up to its last event, whose beginning it holds. */
function expectedRows(events: readonly Event[], { timeline }: EventWindow): TimelineRow[] {
  const held = heldRange(timeline);
  if (held === null) return [];
  return rowsOf(wholeWindow(events.slice(0, held.last))).filter(({ first }) => first >= held.first);
}

function answer(events: readonly Event[], request: { after: number; limit: number }): Event[] {
  return events.slice(request.after, request.after + request.limit);
}

test("the generator makes every row", () => {
  const sample = fc.sample(lawfulSession(), { numRuns: 300, seed: 3 });
  const types = new Set(sample.flatMap((events) => rowsOf(wholeWindow(events)).map(({ type }) => type)));
  expect([...types].toSorted()).toEqual(
    "decision files lookups message note plan queued reasoning text tool turn-end unrecognized".split(" "),
  );
});

test("every number is in at most one row, and rows are in order", () => {
  fc.assert(
    fc.property(lawfulSession(), (events) => {
      const rows = rowsOf(wholeWindow(events));
      const firsts = rows.map(({ first }) => first);
      expect(firsts).toEqual([...new Set(firsts)].toSorted((a, b) => a - b));
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    }),
  );
});

describe("appended events", () => {
  test("give the same rows in any batches", () => {
    fc.assert(
      fc.property(lawfulSession(), fc.array(fc.integer({ min: 1, max: 40 })), (events, sizes) => {
        let window = emptyWindow(0, pageSize);
        for (let at = 0, batch = 0; at < events.length; batch++) {
          const size = sizes[batch] ?? 1;
          window = withArrivals(window, events.slice(at, at + size));
          at += size;
        }
        expect(rowsOf(window)).toEqual(rowsOf(wholeWindow(events)));
        expect(isAtHead(window)).toBe(true);
      }),
    );
  });

  test("change no row but those that they belong to", () => {
    fc.assert(
      fc.property(lawfulSession(), (events) => {
        let window = emptyWindow(0, pageSize);
        for (const event of events) {
          const before = rowsOf(window);
          window = withArrivals(window, [event]);
          const after = new Map(rowsOf(window).map((row) => [row.key, row]));
          const changed = before.filter((row) => after.get(row.key) !== row);
          for (const row of changed) {
            const now = after.get(row.key);
            // A row may also join a group, or leave one because its call failed.
            expect(
              now === undefined || now.last === event.sequence || now.type === "lookups" || row.type === "lookups",
            ).toBe(true);
          }
          expect(changed.length).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});

/** What a person and the service may do to a window. */
const step = fc.oneof(
  fc.record({ type: fc.constant("jump" as const), to: fc.nat() }),
  fc.record({ type: fc.constant("before" as const), to: fc.nat() }),
  fc.record({ type: fc.constant("after" as const), to: fc.nat() }),
  fc.record({ type: fc.constant("arrive" as const), to: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ type: fc.constant("evict" as const), to: fc.nat() }),
);

test("a window shows exactly the rows of what it holds, wherever a person goes and whatever arrives", () => {
  fc.assert(
    fc.property(lawfulSession(), fc.array(step, { maxLength: 30, size: "max" }), (events, steps) => {
      let known = Math.ceil(events.length / 2);
      let window = emptyWindow(known, pageSize);
      for (const { type, to } of steps) {
        const before = new Map(rowsOf(window).map((row) => [row.key, row]));
        const held = heldRange(window.timeline);
        if (type === "jump") {
          const { after, limit } = requestPageOf(window, 1 + (to % known));
          window = withPlace(window, answer(events.slice(0, known), { after, limit }));
        } else if (type === "before" || type === "after") {
          const margins = type === "before" ? { above: 0, below: 99 } : { above: 99, below: 0 };
          for (const request of missingPages(window, margins)) {
            window = withPage(window, answer(events.slice(0, known), request));
          }
        } else if (type === "arrive") {
          window = withArrivals(window, events.slice(known, known + to));
          known = Math.min(events.length, known + to);
        } else if (held !== null) {
          const at = held.first + (to % (held.last - held.first + 1));
          window = withoutFarPages(window, { from: at, to: at }, 3 * pageSize);
          const now = heldRange(window.timeline);
          expect(now!.first <= at && at <= now!.last).toBe(true);
          expect(now!.last - now!.first).toBeLessThan(3 * pageSize);
        }
        expect(window.head).toBe(known);
        const rows = rowsOf(window);
        expect(rows).toEqual(expectedRows(events, window));
        for (const row of rows) {
          const old = before.get(row.key);
          if (old?.last === row.last && old.size === row.size && old.type === row.type) expect(row).toBe(old);
        }
      }
    }),
  );
});

test("the row of each number is found", () => {
  fc.assert(
    fc.property(lawfulSession(), (events) => {
      const list = listRows(wholeWindow(events));
      for (let number = 1; number <= events.length; number++) {
        const at = indexOfNumber(list, number);
        expect(rowAt(list, at)!.first).toBeLessThanOrEqual(number);
        expect(rowAt(list, at + 1)?.first ?? Infinity).toBeGreaterThan(number);
      }
    }),
  );
});

const textEvent = (sequence: number, body: Partial<Event["body"]>): Event =>
  ({ sequence, occurredAt: "2026-11-15T12:00:00.000Z", body: { type: "text.ended", text: "old", ...body } }) as Event;

test("events of before do not end the text that is being written", () => {
  const texts = Array.from({ length: 3 * pageSize }, (_, at) => textEvent(at + 1, {}));
  const atStart = withPlace(emptyWindow(texts.length, pageSize), texts.slice(0, pageSize));
  const writing = withArrivals(atStart, [{ type: "text.delta", text: "The beginning" }]);
  const read = withRecent(withPage(writing, texts.slice(pageSize, 2 * pageSize)), texts.slice(pageSize));
  expect(isAtHead(read)).toBe(true);
  expect(read.live.texts.map(({ row }) => row.text)).toEqual(["The beginning"]);
  expect(rowsOf(read)).toEqual([...rowsOf(wholeWindow(texts)), read.live.texts[0]!.row]);
});

test("keys of texts that are no longer held are forgotten", () => {
  let window = emptyWindow(0, pageSize);
  for (let sequence = 1; sequence <= 10 * pageSize; sequence += 1) {
    window = withArrivals(window, [{ type: "text.delta", text: "o" }, textEvent(sequence, {})]);
    window = withoutFarPages(window, { from: sequence, to: sequence }, 2 * pageSize);
  }
  expect(window.timeline.keys.size).toBeLessThanOrEqual(2 * pageSize);
});

test("a text in parts, of which one was cut, is shown up to the cut", () => {
  const part = (sequence: number, text: string, length: number | null): Event => ({
    ...textEvent(sequence, { text, part: sequence, ...(sequence === 3 && { last: true as const }) }),
    ...(length !== null && { clipped: [{ path: "/body/text", length }] }),
  });
  const rows = rowsOf(wholeWindow([part(1, "one ", null), part(2, "two", 100), part(3, "three", null)]));
  expect(rows).toMatchObject([{ type: "text", text: "one two", hidden: 109, isOpen: false, first: 1, last: 3 }]);
});
