import { crc32 } from "node:zlib";
import { FairleadError } from "@fairlead/contract";
import type { Frame } from "../event-log.ts";
import { pack, unpack } from "./pack.ts";

/** A frame as it is stored, but for its fence. */
export interface FrameRow {
  readonly session: string;
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
  readonly owner: string;
  readonly checksum: number;
  readonly data: Uint8Array;
}

export function toRow(frame: Frame): FrameRow {
  const { session, epoch, first, owner } = frame;
  const row = { session, epoch, first, count: frame.events.length, owner, data: pack(frame.events) };
  return { ...row, checksum: checksum(row) };
}

export function toFrame(row: FrameRow): Frame {
  const { session, epoch, first, owner } = row;
  const events = checksum(row) === row.checksum ? unpack(row.data, row.count) : undefined;
  if (events === undefined) {
    throw new FairleadError(
      "corrupt",
      `Session ${session} is damaged at event ${first}: what the file holds is not what was written`,
    );
  }
  return { session, epoch, first, events, owner };
}

// Over the columns too: a right blob under a wrong number would be just as wrong.
function checksum(row: Omit<FrameRow, "checksum">): number {
  return crc32(row.data, crc32(JSON.stringify([row.session, row.epoch, row.first, row.count, row.owner])));
}
