import type { Event } from "@fairlead/contract";

/** A file that the agent said it changed, and what became of it in the end. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly at: string;
}

/** The files that the agent says it has changed, by path: the last that was said of each. */
export function filesOf(events: Iterable<Event>): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { body, occurredAt: at } of events) {
    if (body.type !== "file.changed") continue;
    // What it has made and then written to again is still new to whoever looks at the whole.
    const isStillNew = body.change === "modified" && files.get(body.path)?.change === "created";
    files.set(body.path, { path: body.path, change: isStillNew ? "created" : body.change, at });
  }
  return [...files.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
