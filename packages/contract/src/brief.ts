import { z } from "zod";
import { RoomName } from "./rooms/rooms.ts";

/** The largest brief, in bytes of JSON. It is sent with a message, and it is part of the session's view. */
export const maxBriefBytes = 256 * 1024;

/** A task for an agent, in parts that a person can check afterwards. */
export const Brief = z.strictObject({
  title: z.string().min(1),
  goal: z.string().min(1),
  /** Rules that the agent must obey during the task. */
  constraints: z.array(z.string()).default([]),
  /** Conditions under which the goal is reached. */
  acceptance: z.array(z.string()).default([]),
  /** The room of the workspace that the agent must stay in: the one that the session works in. */
  room: RoomName.optional(),
});
export type Brief = z.infer<typeof Brief>;

/** The beginning of a text that tells an agent its changed brief. Other programs recognize such a text by it. */
export const briefUpdateIntroduction =
  "This is the whole brief of your task as it is now. It replaces every other version of the brief, also one in the message that follows.";

/** Returns the brief with another room, or without one. */
export function briefInRoom(brief: Brief, room: string | undefined): Brief {
  const { room: _, ...rest } = brief;
  return { ...rest, ...(room !== undefined && { room }) };
}
