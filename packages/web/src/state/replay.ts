import type { ReadEvent } from "@fairlead/contract";
import { appendEvents, emptyTimeline, pageOf, type Timeline } from "./timeline/timeline.ts";

/** Events of a page. Three pages are held, however long the session is. */
export const replayPageSize = 200;

/** Milliseconds that a longer pause takes, so that a night is not watched. */
export const longestPause = 1500;

export const replaySpeeds = [1, 10] as const;
export type ReplaySpeed = (typeof replaySpeeds)[number];

/** A past session at one of its moments. */
export interface Replay {
  /** How many events the session had when the replay was opened. */
  readonly total: number;
  /** The number of the last event that is shown. */
  readonly position: number;
  /** Milliseconds that were played since that event. */
  readonly elapsed: number;
  readonly pages: ReadonlyMap<number, readonly ReadEvent[]>;
}

export function createReplay(total: number): Replay {
  return { total, position: Math.min(1, total), elapsed: 0, pages: new Map() };
}

/** Moves to an event. Only pages near it stay held. */
export function seek(replay: Replay, position: number): Replay {
  const next = { ...replay, position: Math.max(1, Math.min(replay.total, Math.round(position))), elapsed: 0 };
  return { ...next, pages: dropFarPages(next) };
}

/** Plays for a time of the session, with pauses folded. Waits at an event that is not held. */
export function play(replay: Replay, milliseconds: number): Replay {
  let { position, elapsed } = replay;
  elapsed += milliseconds;
  while (position < replay.total) {
    const gap = gapAfter(replay, position);
    if (gap === null) return { ...replay, position, elapsed: 0, pages: dropFarPages({ ...replay, position }) };
    if (gap > elapsed) break;
    elapsed -= gap;
    position += 1;
  }
  return { ...replay, position, elapsed, pages: dropFarPages({ ...replay, position }) };
}

/** Milliseconds from an event to the next one, at most the longest pause; null if one of them is not held. */
function gapAfter(replay: Replay, position: number): number | null {
  const event = eventAt(replay, position);
  const next = eventAt(replay, position + 1);
  if (event === undefined || next === undefined) return null;
  const gap = Date.parse(next.occurredAt) - Date.parse(event.occurredAt);
  // Clocks may be set back.
  return Math.max(0, Math.min(longestPause, gap));
}

export function eventAt({ pages }: Pick<Replay, "pages">, sequence: number): ReadEvent | undefined {
  const page = pageOf(sequence, replayPageSize);
  return pages.get(page)?.[sequence - page * replayPageSize - 1];
}

/** The pages that must be held at the position and are not, the one that is shown first. */
export function missingReplayPages(replay: Replay): number[] {
  return nearPages(replay).filter((page) => !replay.pages.has(page));
}

export function withReplayPage(replay: Replay, page: number, events: readonly ReadEvent[]): Replay {
  const pages = new Map(replay.pages).set(page, events);
  return { ...replay, pages: dropFarPages({ ...replay, pages }) };
}

/** The rows of the held events until the position. */
export function timelineOf({ pages, position }: Pick<Replay, "pages" | "position">): Timeline {
  const current = pageOf(position, replayPageSize);
  const before = pages.get(current - 1) ?? [];
  const shown = (pages.get(current) ?? []).filter(({ sequence }) => sequence <= position);
  return appendEvents(emptyTimeline(replayPageSize), [...before, ...shown]);
}

function nearPages({ position, total }: Pick<Replay, "position" | "total">): number[] {
  const current = pageOf(position, replayPageSize);
  return [current, current + 1, current - 1].filter((page) => page >= 0 && page * replayPageSize < total);
}

function dropFarPages(replay: Replay): ReadonlyMap<number, readonly ReadEvent[]> {
  const near = nearPages(replay);
  if (Array.from(replay.pages.keys()).every((page) => near.includes(page))) return replay.pages;
  return new Map(Array.from(replay.pages).filter(([page]) => near.includes(page)));
}
