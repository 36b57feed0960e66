import type { MsgHdrs } from "@nats-io/transport-node";
import type { BucketName } from "./bucket-name.ts";

/** The newest message of a key. */
export interface BucketEntry {
  readonly key: string;
  /** The sequence in the bucket's stream. */
  readonly revision: number;
  /** Null if the entry was deleted or has expired. */
  readonly value: Uint8Array | null;
  /** Identifies the write. Undefined for entries that the servers or other programs wrote. */
  readonly writeId: string | undefined;
}

/** The header that identifies the write of an entry, so that a writer whose answer was lost recognizes its own entry. */
export const writeIdHeader = "Fairlead-Write";
/** The header that marks a deleted entry, for every client of NATS. */
export const operationHeader = "KV-Operation";
/** The header with the whole seconds after which the servers remove an entry. It cannot exceed the age of the bucket. */
export const expiryHeader = "Nats-TTL";
/** The header of a marker that the servers write when an entry expires. */
const markerHeader = "Nats-Marker-Reason";

interface MessageParts {
  readonly subject: string;
  readonly sequence: number;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

export function toBucketEntry(name: BucketName, { subject, sequence, headers, data }: MessageParts): BucketEntry {
  const isDeleted = headers?.has(operationHeader) === true || headers?.has(markerHeader) === true;
  const writeId = headers?.get(writeIdHeader);
  return {
    key: name.keyOf(subject),
    revision: sequence,
    value: isDeleted ? null : data,
    writeId: writeId === "" ? undefined : writeId,
  };
}
