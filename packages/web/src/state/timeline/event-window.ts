import type { Delta, ReadEvent } from "@fairlead/contract";
import { endLiveText, type LiveTexts, noLiveTexts, withDelta } from "./live-texts.ts";
import { appendEvents, emptyTimeline, heldRange, rebuildTimeline, type Timeline } from "./timeline.ts";

/** The part of a session that the page holds: some consecutive pages of events, and what the agent is writing. */
export interface EventWindow {
  readonly timeline: Timeline;
  readonly live: LiveTexts;
  /** The number of the newest event of the session, also if it is not held. */
  readonly head: number;
}

/** How many events are held at most, unless more are on the screen at once. */
export const maxHeldEvents = 4_000;

/** How many events a page has. Numbers have no gaps, so the page of a number is known without asking. */
export const eventPageSize = 250;

export function emptyWindow(head: number, pageSize = eventPageSize): EventWindow {
  return { timeline: emptyTimeline(pageSize), live: noLiveTexts, head };
}

/** Whether the newest event is held, so that rows can be added at the end. */
export function isAtHead({ timeline, head }: EventWindow): boolean {
  return (heldRange(timeline)?.last ?? 0) === head;
}

/**
 * Adds what arrived since the last frame. Events that do not follow the held ones only move the head: they are loaded when a
 * person scrolls there.
 */
export function withArrivals(window: EventWindow, arrivals: readonly (ReadEvent | Delta)[]): EventWindow {
  let { live, head } = window;
  const events: ReadEvent[] = [];
  const keys = new Map<number, string>();
  let next = (heldRange(window.timeline)?.last ?? 0) + 1;
  // Without any event held, the first one of a new session follows, but not one of a session that is not loaded yet.
  if (next === 1 && head > 0) next = Infinity;
  for (const arrival of arrivals) {
    if (!("sequence" in arrival)) {
      live = withDelta(live, arrival);
      continue;
    }
    head = Math.max(head, arrival.sequence);
    const ended = endLiveText(live, arrival);
    live = ended.live;
    if (arrival.sequence !== next) continue;
    next += 1;
    events.push(arrival);
    if (ended.key !== null) keys.set(arrival.sequence, ended.key);
  }
  const { timeline } = window;
  const known = keys.size === 0 ? timeline.keys : new Map([...timeline.keys, ...keys]);
  return { timeline: appendEvents(timeline, events, known), live, head };
}

/**
 * Adds events that arrived before the ones that they follow were read. They ended the texts that were being written when they
 * arrived, and must not end the ones of now.
 */
export function withRecent(window: EventWindow, recent: readonly ReadEvent[]): EventWindow {
  let next = (heldRange(window.timeline)?.last ?? 0) + 1;
  const following = recent.filter(({ sequence }) => {
    const isNext = sequence === next;
    if (isNext) next += 1;
    return isNext;
  });
  const head = Math.max(window.head, following.at(-1)?.sequence ?? 0);
  return { ...window, timeline: appendEvents(window.timeline, following), head };
}

/**
 * Adds a page directly before or after the held ones. Another page is dropped: while it was on its way, a person jumped
 * elsewhere, or the pages next to it were removed.
 */
export function withPage(window: EventWindow, events: readonly ReadEvent[]): EventWindow {
  const first = events[0];
  const last = events.at(-1);
  const { timeline } = window;
  const held = heldRange(timeline);
  if (first === undefined || last === undefined) return window;
  if (held === null) return replaced(window, events, last.sequence);
  if (last.sequence < held.first - 1 || first.sequence > held.last + 1) return window;
  const before = events.filter(({ sequence }) => sequence < held.first);
  const after = events.filter(({ sequence }) => sequence > held.last);
  const pages = timeline.pages.map((page) => page.events);
  const extended = before.length === 0 ? timeline : rebuildTimeline(timeline, [before, ...pages]);
  return { ...window, timeline: appendEvents(extended, after), head: Math.max(window.head, last.sequence) };
}

/** Shows the events around a place that a person jumps to. They replace the held ones unless they extend them. */
export function withPlace(window: EventWindow, events: readonly ReadEvent[]): EventWindow {
  const last = events.at(-1);
  if (last === undefined) return window;
  const extended = withPage(window, events);
  return extended === window ? replaced(window, events, last.sequence) : extended;
}

function replaced(window: EventWindow, events: readonly ReadEvent[], last: number): EventWindow {
  const timeline = rebuildTimeline(window.timeline, [events]);
  return { ...window, timeline, head: Math.max(window.head, last) };
}

/** Removes the pages that are farthest from what is on the screen, until few enough events are held. */
export function withoutFarPages(window: EventWindow, screen: NumberRange, maxEvents = maxHeldEvents): EventWindow {
  const { timeline } = window;
  const pages = [...timeline.pages];
  const count = (): number => pages.reduce((sum, { events }) => sum + events.length, 0);
  while (count() > maxEvents && pages.length > 1) {
    const first = pages[0]?.events.at(-1)?.sequence ?? 0;
    const last = pages.at(-1)?.events[0]?.sequence ?? 0;
    const above = screen.from - first;
    const below = last - screen.to;
    if (Math.max(above, below) <= 0) break;
    if (above >= below) pages.shift();
    else pages.pop();
  }
  if (pages.length === timeline.pages.length) return window;
  return {
    ...window,
    timeline: rebuildTimeline(
      timeline,
      pages.map(({ events }) => events),
    ),
  };
}

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}
