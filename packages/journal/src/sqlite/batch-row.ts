import { crc32 } from "node:zlib";
import type { EventBatch } from "../event-log.ts";
import { packEvents, unpackEvents } from "./pack-events.ts";

/** A batch of a session as it is stored. */
export interface StoredBatch {
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
  readonly owner: string;
  readonly data: Uint8Array;
  /** The checksum of the session's previous batch; 0 for the first. */
  readonly previous: number;
  /** Covers all fields above and the session, because an intact blob under a wrong sequence is damage too. */
  readonly checksum: number;
}

/** A batch that is ready to be written, before its position in the chain is known. */
export type BatchDraft = Omit<StoredBatch, "previous" | "checksum"> & { readonly session: string };

export type BatchRow = StoredBatch & { readonly session: string };

/** Copies the events, so that the caller may reuse its buffers. */
export function toBatchDraft({ session, epoch, first, events, owner }: EventBatch): BatchDraft {
  return { session, epoch, first, count: events.length, owner, data: packEvents(events) };
}

/** Links a draft to the batch with the checksum `previous`. */
export function toBatchRow(draft: BatchDraft, previous: number): BatchRow {
  return { ...draft, previous, checksum: computeChecksum(draft.session, { ...draft, previous }) };
}

/** Decodes a stored batch. Returns undefined when it differs from what was written or belongs to another session. */
export function decodeBatch(session: string, stored: StoredBatch): EventBatch | undefined {
  const { epoch, first, count, owner, data } = stored;
  // Damage can change even the type of a column.
  if (!(data instanceof Uint8Array) || computeChecksum(session, stored) !== stored.checksum) return undefined;
  const events = unpackEvents(data, count);
  return events && { session, epoch, first, events, owner };
}

function computeChecksum(session: string, stored: Omit<StoredBatch, "checksum">): number {
  const { epoch, first, count, owner, previous, data } = stored;
  return crc32(data, crc32(`${epoch} ${first} ${count} ${previous} ${owner}\0${session}`));
}
