import { FairleadError, nestedRoomPaths, normalizeRooms, type Opening, type Rooms } from "@fairlead/contract";
import { loadWorkspaceConfig } from "./select-agent.ts";
import { workspaceFileName } from "./workspace-file.ts";

/** Reads the rooms of a workspace file. Returns no rooms if there is none. */
export function readRooms(workspace: string): Rooms {
  return normalizeRooms(loadWorkspaceConfig(workspace).config.rooms ?? {});
}

/**
 * Returns the rooms of a new session, and the one that it works in. Throws `invalid-request` for a room that the workspace
 * does not have. A session that continues another one loses a room that was removed since.
 */
export function findSessionRooms(
  workspace: string,
  { room, continues }: { readonly room?: string | undefined; readonly continues?: unknown },
): Pick<Opening, "rooms" | "room"> {
  const rooms = readRooms(workspace);
  const isKnown = room !== undefined && Object.hasOwn(rooms, room);
  if (room !== undefined && !isKnown && continues === undefined) throw unknownRoom(rooms, room);
  return { ...(Object.keys(rooms).length > 0 && { rooms }), ...(isKnown && { room }) };
}

/** A part of a workspace: what is below `paths`, and not below `without`. */
export interface RoomScope {
  readonly paths: readonly string[];
  readonly without: readonly string[];
}

/** Returns which paths belong to a room. Throws `invalid-request` if there is no such room. */
export function roomScope(rooms: Rooms, room: string): RoomScope {
  const paths = Object.hasOwn(rooms, room) ? rooms[room] : undefined;
  if (paths === undefined) throw unknownRoom(rooms, room);
  return { paths, without: nestedRoomPaths(rooms, room) };
}

/** Returns the paths of a room for git, relative to the workspace. */
export function roomPathspecs({ paths, without }: RoomScope, prefix = ""): string[] {
  return [
    ...paths.map((path) => `:(literal)${prefix}${path}`),
    ...without.map((path) => `:(exclude,literal)${prefix}${path}`),
  ];
}

function unknownRoom(rooms: Rooms, room: string): FairleadError {
  const names = Object.keys(rooms);
  const known =
    names.length === 0
      ? `${workspaceFileName} in the workspace has no rooms.`
      : `Rooms of ${workspaceFileName}: ${names.join(", ")}.`;
  return new FairleadError("invalid-request", `There is no room "${room}". ${known}`);
}
