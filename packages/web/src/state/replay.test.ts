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
import { appendEvents, emptyTimeline } from "./timeline/timeline.ts";

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

test("shows the rows that the timeline has at that moment, whichever way it was reached", () => {
  fc.assert(
    fc.property(lawfulSession({ maxLength: 600 }), fc.nat(), fc.nat(), (events, first, second) => {
      let replay = load(createReplay(events.length), events);
      for (const jump of [first, second]) replay = load(seek(replay, (jump % events.length) + 1), events);
      const start = Math.max(0, Math.floor((replay.position - 1) / replayPageSize) - 1) * replayPageSize;
      const direct = appendEvents(emptyTimeline(replayPageSize), events.slice(start, replay.position));
      const rowsOf = ({ pages }: typeof direct): unknown => pages.flatMap(({ rows }) => rows);
      expect(rowsOf(timelineOf(replay))).toEqual(rowsOf(direct));
    }),
    { numRuns: 30 },
  );
});
