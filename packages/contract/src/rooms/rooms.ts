import { z } from "zod";

/** A name as sessions have them, so that it needs no quotes. */
export const RoomName = z
  .string()
  .regex(
    /^[a-z][\w.-]{0,63}$/i,
    "A room's name starts with a letter and has at most 64 letters, digits, dots, dashes and _",
  );

/** A folder or file below the workspace, or `.` for all of it. Not a pattern. */
const RoomPath = z
  .string()
  .min(1)
  .max(500)
  .refine((path) => !path.startsWith("/") && !path.startsWith("~"), "A path of a room is relative to the workspace")
  .refine((path) => !path.split("/").includes(".."), "A path of a room does not contain `..`")
  .refine((path) => !/[*?\\\p{Cc}]/u.test(path), "A path of a room is not a pattern: it names a folder or a file");

/** Named parts of a workspace: the paths of each room. A path belongs to the room with the longest path above it. */
export const Rooms = z.record(RoomName, z.array(RoomPath).min(1).max(100));
export type Rooms = z.infer<typeof Rooms>;

/** Rooms as a person writes them: one path may be written without a list. */
export const RoomsInput = z
  .record(RoomName, z.union([RoomPath, z.array(RoomPath).min(1).max(100)]))
  .superRefine((rooms, context) => {
    const shared = findSharedPath(normalizeRooms(rooms));
    if (shared !== null)
      context.addIssue({ code: "custom", message: `Two rooms have the path ${JSON.stringify(shared)}` });
  });
export type RoomsInput = z.infer<typeof RoomsInput>;

/** Returns the rooms with each path in its one spelling. */
export function normalizeRooms(rooms: Readonly<Record<string, string | readonly string[]>>): Rooms {
  const entries = Object.entries(rooms).map(([name, paths]) => [name, [paths].flat().map(normalizeRoomPath)] as const);
  return Object.fromEntries(entries);
}

/** Returns the room of a path that is relative to the workspace: the one with the longest path above it, or null. */
export function roomOf(rooms: Rooms, path: string): string | null {
  const segments = segmentsOf(path);
  let best: { readonly name: string; readonly length: number } | null = null;
  for (const [name, paths] of Object.entries(rooms)) {
    for (const root of paths.map(segmentsOf)) {
      const isAbove = root.length <= segments.length && root.every((segment, at) => segment === segments[at]);
      if (isAbove && root.length > (best?.length ?? -1)) best = { name, length: root.length };
    }
  }
  return best?.name ?? null;
}

/** Lists the paths of other rooms that are below a room's own paths, and so do not belong to it. */
export function nestedRoomPaths(rooms: Rooms, name: string): string[] {
  const own = (rooms[name] ?? []).map(segmentsOf);
  const isBelow = (path: string): boolean => {
    const segments = segmentsOf(path);
    return own.some((root) => root.length < segments.length && root.every((segment, at) => segment === segments[at]));
  };
  const others = Object.entries(rooms).filter(([other]) => other !== name);
  return others.flatMap(([, paths]) => paths.filter(isBelow));
}

function normalizeRoomPath(path: string): string {
  return segmentsOf(path).join("/") || ".";
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** Returns a path that two rooms have, or null. */
function findSharedPath(rooms: Rooms): string | null {
  const seen = new Map<string, string>();
  for (const [name, paths] of Object.entries(rooms)) {
    for (const path of paths.map(normalizeRoomPath)) {
      if (seen.has(path) && seen.get(path) !== name) return path;
      seen.set(path, name);
    }
  }
  return null;
}
