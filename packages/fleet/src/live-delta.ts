import type { Delta } from "@fairlead/contract";

/**
 * Live output as a host publishes it. `after` is the sequence of the event that came before it: events and live output reach a
 * gateway on two paths, and text that arrives after its own `text.ended` would be shown twice.
 */
export interface LiveDelta extends Delta {
  readonly after: number;
}

/** Returns the sequence that live output follows; undefined if a host has not said it. */
export function sequenceBefore(delta: Delta): number | undefined {
  const { after } = delta as Partial<LiveDelta>;
  return typeof after === "number" ? after : undefined;
}

/** Returns live output as clients get it. */
export function toDelta({ type, text, parent }: Delta): Delta {
  return { type, text, ...(parent !== undefined && { parent }) };
}
