import { isAbsolute, join, relative } from "node:path";
import { roomOf, type Event, type EventOf, type Rooms } from "@fairlead/contract";

/** A file that changed, with the combined change. Source and attribution are those of the last change. */
export interface ChangedFile extends Pick<EventOf<"file.changed">, "path" | "change" | "source" | "attribution"> {
  readonly at: string;
  /** The room that it is in, if any. */
  readonly room?: string;
}

/** Lists the files that changed, sorted by path, with the last change of each. Paths are as they were first reported. */
export function listChangedFiles(events: Iterable<Event>, workspace: string, rooms: Rooms = {}): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const event of events) addChangedFile(files, event, workspace, rooms);
  return sortChangedFiles(files.values());
}

/** Adds the change of an event, if it is one, to the files that changed before it, by their absolute paths. */
export function addChangedFile(
  files: Map<string, ChangedFile>,
  { body, occurredAt: at }: Pick<Event, "body" | "occurredAt">,
  workspace: string,
  rooms: Rooms,
): void {
  if (body.type !== "file.changed") return;
  const { source, attribution } = body;
  const key = isAbsolute(body.path) ? body.path : join(workspace, body.path);
  const earlier = files.get(key);
  // A file that was created and then modified is new, compared with the start of the session.
  const change = body.change === "modified" && earlier?.change === "created" ? "created" : body.change;
  const origin = { ...(source && { source }), ...(attribution && { attribution }) };
  const inside = relative(workspace, key);
  const room = inside === ".." || inside.startsWith("../") ? null : roomOf(rooms, inside);
  files.set(key, { path: earlier?.path ?? body.path, change, at, ...origin, ...(room !== null && { room }) });
}

export function sortChangedFiles(files: Iterable<ChangedFile>): ChangedFile[] {
  return [...files].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
