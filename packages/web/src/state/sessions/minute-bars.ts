import type { SessionView } from "@fairlead/api";

const minute = 60_000;

/** How many minutes a chart of activity shows. */
export const chartMinutes = 16;

/**
 * Returns the events of each of the last minutes, the current one last. The service counts up to the newest event, so the
 * minutes since then are zero, and the chart of a session that does nothing moves to the left without a message.
 */
export function toMinuteBars(recent: SessionView["recentEvents"], now: number): readonly number[] {
  if (recent === null) return Array.from({ length: chartMinutes }, () => 0);
  const quiet = Math.max(0, Math.floor((now - Date.parse(recent.newest)) / minute));
  return Array.from({ length: chartMinutes }, (_, index) => {
    const at = recent.counts.length - chartMinutes + index + quiet;
    return recent.counts[at] ?? 0;
  });
}
