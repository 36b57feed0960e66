import { FairleadError } from "@fairlead/contract";
import type { EventBatch } from "../event-log.ts";
import { decodeBatch, type StoredBatch } from "./batch-row.ts";

/** A reader's position in the chain of a session's batches. */
export interface ChainPosition {
  /** The sequence of the last event before the position. */
  readonly last: number;
  /** Distinguishes positions after the same event: claims of later epochs follow it and have no events. */
  readonly epoch: number;
  /** The checksum of the last batch before the position; undefined when the reader has not read that batch. */
  readonly checksum: number | undefined;
}

/** Returns the position from which a reader gets the events after a sequence. */
export function positionAfter(last: number): ChainPosition {
  if (last <= 0) return { last: 0, epoch: 0, checksum: 0 };
  return { last, epoch: Number.MAX_SAFE_INTEGER, checksum: undefined };
}

/** Decodes the next batch of a session. Throws `corrupt` when it is damaged or does not belong at this position. */
export function verifyLink(session: string, position: ChainPosition, stored: StoredBatch): EventBatch {
  const batch = decodeBatch(session, stored);
  if (batch === undefined) throw createDamageError(session, position, "the stored batch differs from what was written");
  const { checksum = stored.previous, last } = position;
  const isContiguous = position.checksum === undefined ? batch.first <= last + 1 : batch.first === last + 1;
  if (!isContiguous || checksum !== stored.previous) throw createDamageError(session, position, "a batch is missing");
  return batch;
}

/** Returns the position after a verified batch. */
export function advancePosition({ first, count, epoch, checksum }: StoredBatch): ChainPosition {
  return { last: first + count - 1, epoch, checksum };
}

/** Creates the error for a chain that cannot be read past a position. */
export function createDamageError(
  session: string,
  position: Pick<ChainPosition, "last">,
  reason: string,
  cause?: unknown,
): FairleadError {
  return new FairleadError("corrupt", `Session ${session} is damaged at event ${position.last + 1}: ${reason}`, {
    cause,
  });
}
