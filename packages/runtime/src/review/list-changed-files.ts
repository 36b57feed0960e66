import type { Event } from "@fairlead/contract";

/** A file that the agent reported as changed, and the combined change. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly at: string;
}

/** Lists the files that the agent reported as changed, sorted by path, with the last change of each. */
export function listChangedFiles(events: Iterable<Event>): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { body, occurredAt: at } of events) {
    if (body.type !== "file.changed") continue;
    // A file that was created and then modified is new, compared with the start of the session.
    const isStillNew = body.change === "modified" && files.get(body.path)?.change === "created";
    files.set(body.path, { path: body.path, change: isStillNew ? "created" : body.change, at });
  }
  return [...files.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
