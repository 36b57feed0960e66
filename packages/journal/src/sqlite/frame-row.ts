import { crc32 } from "node:zlib";
import type { Frame } from "../event-log.ts";
import { pack, unpack } from "./pack.ts";

/** A frame of a session as it is stored. */
export interface StoredFrame {
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
  readonly owner: string;
  readonly data: Uint8Array;
  /** The checksum of the session's frame before this one; 0 when this is the first. */
  readonly previous: number;
  /** Over all of the above and the session: a right blob under a wrong number would be just as wrong as a wrong one. */
  readonly checksum: number;
}

/** A frame ready to be written, wherever that will be. */
export type Draft = Omit<StoredFrame, "previous" | "checksum"> & { readonly session: string };

export type FrameRow = StoredFrame & { readonly session: string };

/** Copies the events, so that the caller may use its buffers again. */
export function toDraft({ session, epoch, first, events, owner }: Frame): Draft {
  return { session, epoch, first, count: events.length, owner, data: pack(events) };
}

/** Gives a draft its place: after the frame with that checksum. */
export function toRow(draft: Draft, previous: number): FrameRow {
  return { ...draft, previous, checksum: checksum(draft.session, { ...draft, previous }) };
}

/** The session's frame; nothing when it is not as it was written, or not written for that session. */
export function toFrame(session: string, stored: StoredFrame): Frame | undefined {
  const { epoch, first, count, owner, data } = stored;
  // Damage can make anything of a column, even another type.
  if (!(data instanceof Uint8Array) || checksum(session, stored) !== stored.checksum) return undefined;
  const events = unpack(data, count);
  return events && { session, epoch, first, events, owner };
}

function checksum(session: string, stored: Omit<StoredFrame, "checksum">): number {
  const { epoch, first, count, owner, previous, data } = stored;
  return crc32(data, crc32(`${epoch} ${first} ${count} ${previous} ${owner}\0${session}`));
}
