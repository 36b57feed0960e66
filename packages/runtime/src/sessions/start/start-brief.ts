import { FairleadError, maxBriefBytes, type Brief, type Manifest } from "@fairlead/contract";
import { isBriefTooLarge } from "@fairlead/reducer";
import type { StartOptions } from "./start-options.ts";

/** Returns the options with the room that the brief names. Throws `invalid-request` if the start names another one. */
export function withBriefRoom(options: StartOptions): StartOptions {
  const { room, brief } = options;
  if (brief?.room === undefined) return options;
  if (room !== undefined && room !== brief.room) throw otherRoom(brief.room, room);
  return { ...options, room: brief.room };
}

/** Throws if an agent cannot be given a brief: `not-supported`, or `too-large`. */
export function assertBrief({ id, messages }: Pick<Manifest, "id" | "messages">, brief: Brief): void {
  if (messages === "command")
    throw new FairleadError(
      "not-supported",
      `${id} executes each message as it is, so it cannot be given a brief. Start it with a prompt.`,
    );
  if (!isBriefTooLarge(brief)) return;
  throw new FairleadError("too-large", `The brief is larger than ${maxBriefBytes} bytes as JSON.`);
}

/** Throws `invalid-request` if a brief names another room than that of its session, which never changes. */
export function assertSameRoom({ room }: Brief, sessionRoom: string | undefined): void {
  if (room !== undefined && room !== sessionRoom) throw otherRoom(room, sessionRoom);
}

function otherRoom(room: string, sessionRoom: string | undefined): FairleadError {
  const actual = sessionRoom === undefined ? "no room" : `the room "${sessionRoom}"`;
  return new FairleadError(
    "invalid-request",
    `The brief names the room "${room}", and the session works in ${actual}.`,
  );
}
