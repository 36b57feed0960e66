import type { ReactNode } from "react";

const format = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/** A time of the day, with the date for a pointer that rests on it. */
export function ClockTime({ at }: { readonly at: string }): ReactNode {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()} className="tabular-nums">
      {format.format(date)}
    </time>
  );
}
