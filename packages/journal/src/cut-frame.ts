import type { Frame } from "./event-log.ts";

/** The part of a frame that lies after a number, and at most `limit` events of it. */
export function cutFrame(frame: Frame, after: number, limit = Infinity): Frame {
  const skipped = Math.max(0, after + 1 - frame.first);
  if (skipped === 0 && frame.events.length <= limit) return frame;
  return { ...frame, first: frame.first + skipped, events: frame.events.slice(skipped, skipped + limit) };
}

/** The number of a frame's last event. */
export function lastOf(frame: Frame): number {
  return frame.first + frame.events.length - 1;
}
