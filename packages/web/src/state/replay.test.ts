import type { Event } from "@fairlead/contract";
import { lawfulSession } from "@fairlead/testing/web/lawful-session.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createReplay,
  longestPause,
  missingReplayPages,
  play,
  replayPageSize,
  type Replay,
  seek,
  timelineOf,
  withReplayPage,
} from "./replay.ts";
import { appendEvents, emptyTimeline, type Timeline } from "./timeline/timeline.ts";

function load(replay: Replay, events: readonly Event[]): Replay {
  let loaded = replay;
  for (const page of missingReplayPages(replay)) {
    loaded = withReplayPage(loaded, page, events.slice(page * replayPageSize, (page + 1) * replayPageSize));
  }
  return loaded;
}

function eventsAt(times: readonly number[]): Event[] {
  return times.map((time, index) => ({
    id: `s/${index + 1}`,
    session: "s",
    sequence: index + 1,
    epoch: 1,
    turn: null,
    occurredAt: new Date(time).toISOString(),
    agent: "made-up",
    model: null,
    spool: index + 1,
    synthetic: false,
    body: { type: "status.reported", level: "info", message: String(index) },
  }));
}

test("plays events at their times, and folds a pause", () => {
  const events = eventsAt([0, 100, 300, 3_600_000, 3_600_100]);
  const replay = load(createReplay(5), events);
  const positions = [99, 1, 200, longestPause - 1, 1, 100].reduce<Replay[]>(
    (played, time) => [...played, play(played.at(-1) ?? replay, time)],
    [],
  );
  expect(positions.map(({ position }) => position)).toEqual([1, 2, 3, 3, 4, 5]);
});

test("plays ten times as many events in a tick of ten times the length", () => {
  const events = eventsAt(Array.from({ length: 100 }, (_, index) => index * 100));
  const replay = load(createReplay(100), events);
  expect([play(replay, 1000).position, play(replay, 10_000).position]).toEqual([11, 100]);
});

test("does not pass events that are not held, and continues when they are", () => {
  const events = eventsAt(Array.from({ length: 1000 }, (_, index) => index));
  let replay = play(load(createReplay(1000), events), 1_000_000);
  expect(replay.position).toBe(2 * replayPageSize);
  replay = play(load(replay, events), 50);
  expect(replay.position).toBe(2 * replayPageSize + 50);
});

test("holds three pages, however long the session is and wherever it moves", () => {
  const events = eventsAt(Array.from({ length: 5000 }, (_, index) => index));
  let replay = load(createReplay(5000), events);
  for (const position of [4999, 1, 2500, -3, 99_999]) {
    replay = load(seek(replay, position), events);
    expect(replay.pages.size).toBeLessThanOrEqual(3);
    expect(timelineOf(replay).pages.at(-1)?.events.at(-1)?.sequence).toBe(replay.position);
  }
});

test("a clock that was set back does not stop the replay", () => {
  const replay = load(createReplay(2), eventsAt([1000, 0]));
  expect(play(replay, 0).position).toBe(2);
});

/** What a person and the service do with a replay. */
const action = fc.oneof(
  fc.record({ type: fc.constant("scrub" as const), value: fc.nat() }),
  fc.record({ type: fc.constant("step" as const), value: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ type: fc.constant("play" as const), value: fc.nat({ max: 60_000 }) }),
  // An answer may arrive after the person moved on.
  fc.record({ type: fc.constant("load" as const), value: fc.nat({ max: 2 }) }),
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the replay after actions. Pages arrive in any order, and those that were asked for earlier may come late. */
function perform(total: number, actions: readonly Action[], pageAt: (page: number) => readonly Event[]): Replay {
  let replay = createReplay(total);
  let asked = missingReplayPages(replay);
  for (const { type, value } of actions) {
    if (type === "scrub") replay = seek(replay, (value % total) + 1);
    if (type === "step") replay = seek(replay, replay.position + value);
    if (type === "play") replay = play(replay, value);
    const page = asked[value % Math.max(1, asked.length)];
    if (type === "load" && page !== undefined) replay = withReplayPage(replay, page, pageAt(page));
    asked = [...new Set([...missingReplayPages(replay), ...asked])].slice(0, 4);
  }
  for (const page of missingReplayPages(replay)) replay = withReplayPage(replay, page, pageAt(page));
  return replay;
}

/** Events that differ from those of other numbers, with pauses between them. */
function sessionOf(events: readonly Event[], length: number): (page: number) => readonly Event[] {
  const times = [0, 10, 900, 5000, 3_600_000] as const;
  const eventAt = (index: number): Event => {
    const at = Math.floor(index / times.length) * 7_200_000 + (times[index % times.length] ?? 0);
    return { ...events[index % events.length]!, sequence: index + 1, occurredAt: new Date(at).toISOString() };
  };
  return (page) => {
    const first = page * replayPageSize;
    return Array.from({ length: Math.max(0, Math.min(replayPageSize, length - first)) }, (_, at) =>
      eventAt(first + at),
    );
  };
}

const rowsOf = ({ pages }: Timeline): unknown => pages.flatMap(({ rows }) => rows);
const actions = fc.array(action, { maxLength: 30, size: "max" });

test("shows the fold of the first n events, whichever way number n was reached", () => {
  const positions = new Set<number>();
  fc.assert(
    // Two pages are shown, and so all events of a session of this length.
    fc.property(
      lawfulSession({ maxLength: 60 }),
      fc.integer({ min: 1, max: 2 * replayPageSize }),
      actions,
      (events, length, way) => {
        const pageAt = sessionOf(events, length);
        const replay = perform(length, way, pageAt);
        const first = [...pageAt(0), ...pageAt(1)].slice(0, replay.position);
        expect(rowsOf(timelineOf(replay))).toEqual(rowsOf(appendEvents(emptyTimeline(replayPageSize), first)));
        positions.add(replay.position);
      },
    ),
    { numRuns: 150 },
  );
  expect(positions.size).toBeGreaterThan(30);
});

test("of 100,000 events it holds three pages and asks for none that is far, and shows what a direct way shows", () => {
  const length = 100_000;
  fc.assert(
    fc.property(lawfulSession({ maxLength: 60 }), actions, (events, way) => {
      const asked = new Set<number>();
      const pageAt = sessionOf(events, length);
      const replay = perform(length, way, (page) => {
        asked.add(page);
        return pageAt(page);
      });
      expect(replay.pages.size).toBeLessThanOrEqual(3);
      expect(asked.size).toBeLessThanOrEqual(3 * (way.length + 1));
      const current = Math.floor((replay.position - 1) / replayPageSize);
      for (const page of replay.pages.keys()) expect(Math.abs(page - current)).toBeLessThanOrEqual(1);
      const direct = perform(length, [{ type: "scrub", value: replay.position - 1 }], pageAt);
      expect(rowsOf(timelineOf(replay))).toEqual(rowsOf(timelineOf(direct)));
    }),
    { numRuns: 60 },
  );
});

test.each([1, 10] as const)(
  "at %d times the pace it shows what the session had then, however long the steps are",
  (speed) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 40 }), (steps) => {
        const pageAt = sessionOf(eventsAt([0]), replayPageSize);
        const times = pageAt(0).map(({ occurredAt }) => Date.parse(occurredAt));
        let replay = withReplayPage(createReplay(replayPageSize), 0, pageAt(0));
        let played = 0;
        for (const step of steps) {
          replay = play(replay, step * speed);
          played += step * speed;
          // The time of each event in the replay: that of the session, with each pause cut.
          let at = 0;
          const folded = times.map((time, index) => (at += Math.min(longestPause, time - (times[index - 1] ?? time))));
          expect(replay.position).toBe(folded.filter((time) => time <= played).length);
        }
      }),
      { numRuns: 100 },
    );
  },
);

test("moves back and forward by one event", () => {
  const events = eventsAt([0, 100, 300]);
  let replay = load(seek(createReplay(3), 3), events);
  const seen = [-1, -1, -1, 1, 1, 1].map((step) => (replay = seek(replay, replay.position + step)).position);
  expect(seen).toEqual([2, 1, 1, 2, 3, 3]);
  expect(play(replay, 60_000).position).toBe(3);
});
