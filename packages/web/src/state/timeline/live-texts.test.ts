import type { Delta, Event } from "@fairlead/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toJournal } from "@fairlead/testing/web/lawful-session.ts";
import { emptyWindow, type EventWindow, withArrivals } from "./event-window.ts";
import { listRows, rowAt } from "./row-list.ts";
import type { TimelineRow } from "./timeline-row.ts";

function rowsOf(window: EventWindow): TimelineRow[] {
  const list = listRows(window);
  return Array.from({ length: list.count }, (_, index) => rowAt(list, index)!);
}

const begin = toJournal([{ type: "turn.started", turn: "1", input: "do", origin: "user" }]);
const started = begin.at(-1)!;
const whole = (text: string): Event => ({ ...started, sequence: 3, body: { type: "text.ended", text } });
const delta = (text: string, parent?: string): Delta => ({ type: "text.delta", text, ...(parent && { parent }) });

function opened(): EventWindow {
  return withArrivals(emptyWindow(0), begin);
}

test("a delta changes exactly one row", () => {
  const source = fc.constantFrom(delta("a"), delta("b", "c"), { ...delta("r"), type: "reasoning.delta" as const });
  fc.assert(
    fc.property(fc.array(source, { minLength: 1 }), (deltas) => {
      let window = withArrivals(opened(), deltas);
      for (const one of deltas) {
        const before = rowsOf(window);
        window = withArrivals(window, [one]);
        const after = rowsOf(window);
        expect(after.length).toBe(before.length);
        expect(after.filter((row, index) => row !== before[index]).length).toBe(1);
      }
    }),
  );
});

test("a text keeps its row when its event arrives, and its key when pages are built again", () => {
  const live = withArrivals(opened(), [delta("hel"), delta("lo")]);
  const shown = rowsOf(live).at(-1)!;
  expect(shown).toMatchObject({ type: "text", text: "hello", isOpen: true });
  const ended = rowsOf(withArrivals(live, [whole("hello")])).at(-1)!;
  expect(ended).toMatchObject({ type: "text", text: "hello", isOpen: false, key: shown.key, first: 3 });
  expect(rowsOf(withArrivals(live, [whole("hello"), delta("next")])).map(({ key }) => key)).toHaveLength(4);
});

test("the event wins over the deltas, and the end of the turn removes what has no event", () => {
  const live = withArrivals(opened(), [delta("wrong")]);
  expect(rowsOf(withArrivals(live, [whole("right")])).map((row) => ("text" in row ? row.text : ""))).not.toContain(
    "wrong",
  );
  const end: Event = { ...started, sequence: 3, body: { type: "turn.ended", turn: "1", outcome: "failed" } };
  expect(rowsOf(withArrivals(live, [end])).map(({ type }) => type)).toEqual(["note", "message", "turn-end"]);
});

test("a part of a text takes its words from the deltas, and the rest stays live", () => {
  const live = withArrivals(opened(), [delta("one two")]);
  const first: Event = { ...started, sequence: 3, body: { type: "text.ended", text: "one ", part: 1 } };
  const window = withArrivals(live, [first]);
  expect(rowsOf(window).slice(2)).toMatchObject([{ text: "one " }, { text: "two" }]);
  expect(new Set(rowsOf(window).map(({ key }) => key)).size).toBe(4);
  const other = withArrivals(live, [{ ...first, body: { type: "text.ended", text: "uno ", part: 1 } }, delta("x")]);
  expect(rowsOf(other).slice(2)).toMatchObject([{ text: "uno " }]);
});

test("deltas of a session whose end is not held are not shown", () => {
  const window = withArrivals(emptyWindow(100), [delta("hello")]);
  expect(rowsOf(window)).toEqual([]);
});
