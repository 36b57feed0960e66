import { crc32 } from "node:zlib";
import type { Frame } from "../event-log.ts";
import { pack, unpack } from "./pack.ts";

/** A frame ready to be written, wherever that will be. */
export interface Draft {
  readonly session: string;
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
  readonly owner: string;
  readonly data: Uint8Array;
}

/** A frame as it is stored, but for its id. */
export interface FrameRow extends Draft {
  readonly last: number;
  /** The checksum of the session's frame before this one; 0 when this is the first. */
  readonly previous: number;
  /** Over all of the above: a right blob under a wrong number would be just as wrong as a wrong one. */
  readonly checksum: number;
}

/** Copies the events, so that the caller may use its buffers again. */
export function toDraft({ session, epoch, first, events, owner }: Frame): Draft {
  return { session, epoch, first, count: events.length, owner, data: pack(events) };
}

/** Gives a draft its place: after the frame with that checksum. */
export function toRow(draft: Draft, previous: number): FrameRow {
  const last = draft.first + draft.count - 1;
  return { ...draft, last, previous, checksum: checksum(draft, previous) };
}

/** The frame in a row; nothing when the row is not as it was written. */
export function toFrame(row: FrameRow): Frame | undefined {
  const { session, epoch, first, count, owner } = row;
  if (checksum(row, row.previous) !== row.checksum || row.last !== first + count - 1) return undefined;
  const events = unpack(row.data, count);
  return events && { session, epoch, first, events, owner };
}

function checksum({ session, epoch, first, count, owner, data }: Draft, previous: number): number {
  return crc32(data, crc32(`${epoch} ${first} ${count} ${previous} ${owner}\0${session}`));
}
