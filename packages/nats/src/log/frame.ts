import { crc32 } from "node:zlib";

/** Identifies a stored frame: its sequence in the stream and its checksum. Both are 0 for the start of a chain. */
export interface FrameLink {
  readonly sequence: number;
  readonly checksum: number;
}

export const chainStart: FrameLink = { sequence: 0, checksum: 0 };

/**
 * `claim` and `batch` are complete, and `batch` may be the last part of a batch that did not fit into one message. `part`
 * is one of the others: it has no effect until a `batch` follows it. `forget` ends the session's history.
 */
export type FrameKind = "claim" | "batch" | "part" | "forget";

const kinds: readonly FrameKind[] = ["claim", "batch", "part", "forget"];

/** One message of a session. */
export interface LogFrame {
  readonly kind: FrameKind;
  readonly epoch: number;
  /** The sequence of the first event. */
  readonly first: number;
  /** The number of events of the whole batch. */
  readonly count: number;
  /** The number of notes of the whole batch. */
  readonly noteCount: number;
  readonly owner: string;
  /** Unique per append, so that a writer recognizes its own frame: two claims of one owner have otherwise equal bytes. */
  readonly nonce: bigint;
  /** The complete frame before this one. */
  readonly base: FrameLink;
  /** The index of this part; 0 for a frame that is whole. */
  readonly partIndex: number;
  /** The part before this one; the start of a chain for index 0. */
  readonly previousPart: FrameLink;
  readonly isCompressed: boolean;
  readonly data: Uint8Array;
}

export interface DecodedFrame extends LogFrame {
  readonly checksum: number;
}

const version = 1;
const compressedFlag = 1;
const checksumOffset = 4;
const coveredOffset = 8;
const headBytes = 66;
const maxOwnerBytes = 0xffff;

/** The bytes that a frame needs beside its data. */
export function frameOverhead(owner: string): number {
  return headBytes + Buffer.byteLength(owner);
}

/** Whether an owner's text fits into a frame. */
export function isOwnerStorable(owner: string): boolean {
  return Buffer.byteLength(owner) <= maxOwnerBytes;
}

/** Encodes a frame. The checksum covers all fields and the session, so that a frame under another subject is damage. */
export function encodeFrame(session: string, frame: LogFrame): Buffer {
  const owner = Buffer.from(frame.owner);
  const bytes = Buffer.allocUnsafe(headBytes + owner.byteLength + frame.data.byteLength);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt8(kinds.indexOf(frame.kind), 1);
  bytes.writeUInt16BE(frame.isCompressed ? compressedFlag : 0, 2);
  bytes.writeBigUInt64BE(frame.nonce, 8);
  bytes.writeUIntBE(frame.epoch, 16, 6);
  bytes.writeUIntBE(frame.first, 22, 6);
  bytes.writeUInt32BE(frame.count, 28);
  bytes.writeUInt32BE(frame.noteCount, 32);
  writeLink(bytes, 36, frame.base);
  bytes.writeUInt32BE(frame.partIndex, 46);
  writeLink(bytes, 50, frame.previousPart);
  bytes.writeUInt32BE(frame.data.byteLength, 60);
  bytes.writeUInt16BE(owner.byteLength, 64);
  bytes.set(owner, headBytes);
  bytes.set(frame.data, headBytes + owner.byteLength);
  bytes.writeUInt32BE(computeFrameChecksum(session, bytes), checksumOffset);
  return bytes;
}

/** Decodes a frame. Returns undefined when the bytes differ from what was written, or belong to another session. */
export function decodeFrame(session: string, payload: Uint8Array): DecodedFrame | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  if (bytes.byteLength < headBytes || bytes.readUInt8(0) !== version) return undefined;
  const checksum = bytes.readUInt32BE(checksumOffset);
  const kind = kinds[bytes.readUInt8(1)];
  if (kind === undefined || computeFrameChecksum(session, bytes) !== checksum) return undefined;
  const dataOffset = headBytes + bytes.readUInt16BE(64);
  if (dataOffset + bytes.readUInt32BE(60) !== bytes.byteLength) return undefined;
  return {
    kind,
    checksum,
    isCompressed: (bytes.readUInt16BE(2) & compressedFlag) !== 0,
    nonce: bytes.readBigUInt64BE(8),
    epoch: bytes.readUIntBE(16, 6),
    first: bytes.readUIntBE(22, 6),
    count: bytes.readUInt32BE(28),
    noteCount: bytes.readUInt32BE(32),
    base: readLink(bytes, 36),
    partIndex: bytes.readUInt32BE(46),
    previousPart: readLink(bytes, 50),
    owner: bytes.toString("utf8", headBytes, dataOffset),
    data: bytes.subarray(dataOffset),
  };
}

/** Returns the checksum of an encoded frame without verifying it. */
export function checksumOf(encoded: Buffer): number {
  return encoded.readUInt32BE(checksumOffset);
}

export function areLinksEqual(one: FrameLink, other: FrameLink): boolean {
  return one.sequence === other.sequence && one.checksum === other.checksum;
}

function computeFrameChecksum(session: string, bytes: Buffer): number {
  const seed = crc32(`${session}\0`, crc32(bytes.subarray(0, checksumOffset)));
  return crc32(bytes.subarray(coveredOffset), seed);
}

function writeLink(bytes: Buffer, offset: number, { sequence, checksum }: FrameLink): void {
  bytes.writeUIntBE(sequence, offset, 6);
  bytes.writeUInt32BE(checksum, offset + 6);
}

function readLink(bytes: Buffer, offset: number): FrameLink {
  return { sequence: bytes.readUIntBE(offset, 6), checksum: bytes.readUInt32BE(offset + 6) };
}
