import { FairleadError } from "@fairlead/contract";
import type { Frame } from "../event-log.ts";
import { toFrame, type FrameRow } from "./frame-row.ts";

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

/** The place after a row; or `corrupt` when the row is not as it was written, or is not the one that belongs here. */
export function follow(place: Place, row: FrameRow): { readonly place: Place; readonly frame: Frame } {
  const { session, previous, first } = row;
  const frame = toFrame(row);
  if (frame === undefined) throw damaged(session, place, "what the file holds is not what was written");
  const joins = place.checksum === undefined ? first <= place.last + 1 : first === place.last + 1;
  if (!joins || (place.checksum ?? previous) !== previous) throw damaged(session, place, "something is missing here");
  return { place: { last: row.last, epoch: row.epoch, checksum: row.checksum }, frame };
}

/** The error of who cannot go on from a place. */
export function damaged(session: string, place: Pick<Place, "last">, reason: string, cause?: unknown): FairleadError {
  return new FairleadError("corrupt", `Session ${session} is damaged at event ${place.last + 1}: ${reason}`, { cause });
}
