import type { ReactNode } from "react";

const format = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/** Formats a time of the day in the same way everywhere: `22:58:23`. */
export function formatClock(date: Date): string {
  return format.format(date);
}

/** A time of the day, with the date for a pointer that rests on it. */
export function ClockTime({ at }: { readonly at: string }): ReactNode {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()} className="tabular-nums">
      {formatClock(date)}
    </time>
  );
}
