import { FairleadError } from "@fairlead/contract";
import type { Frame } from "../event-log.ts";
import { toFrame, type StoredFrame } from "./frame-row.ts";

/** How far a reader has come in a session. */
export interface Place {
  /** The number of the last event before it. */
  readonly last: number;
  /** Frames of later epochs may still come that have no event, since they are claims. */
  readonly epoch: number;
  /** The checksum of the last frame before it, or nothing when that was not read. */
  readonly checksum: number | undefined;
}

/** Where to begin, to read the events after a number. */
export function placeAfter(last: number): Place {
  if (last <= 0) return { last: 0, epoch: 0, checksum: 0 };
  return { last, epoch: Number.MAX_SAFE_INTEGER, checksum: undefined };
}

/** The next frame of a session; or `corrupt` when it is not as it was written, or not the one that belongs here. */
export function follow(session: string, place: Place, stored: StoredFrame): Frame {
  const frame = toFrame(session, stored);
  if (frame === undefined) throw damaged(session, place, "what the file holds is not what was written");
  const { checksum = stored.previous, last } = place;
  const joins = place.checksum === undefined ? frame.first <= last + 1 : frame.first === last + 1;
  if (!joins || checksum !== stored.previous) throw damaged(session, place, "something is missing here");
  return frame;
}

/** The place after a frame that has followed. */
export function placeBehind({ first, count, epoch, checksum }: StoredFrame): Place {
  return { last: first + count - 1, epoch, checksum };
}

/** The error of who cannot go on from a place. */
export function damaged(session: string, place: Pick<Place, "last">, reason: string, cause?: unknown): FairleadError {
  return new FairleadError("corrupt", `Session ${session} is damaged at event ${place.last + 1}: ${reason}`, { cause });
}
