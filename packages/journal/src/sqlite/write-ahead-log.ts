import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { WalChecksum } from "./wal-checksum.ts";

// See https://www.sqlite.org/walformat.html: numbers are big-endian; the magic number gives the checksum's byte order.
const sizes = { header: 32, frameHeader: 24 };
const magic = { little: 0x377f0682, big: 0x377f0683 };

/** The content of a write-ahead log according to its checksums. Its frames are pages of the database. */
export interface WriteAheadLog {
  /** Distinguish this log's frames from those of the previous log in the same file; undefined if the header is damaged. */
  readonly salts: readonly [number, number] | undefined;
  /** The number of frames up to the last intact commit. SQLite keeps them. */
  readonly intactFrames: number;
  /** The number of bytes after them that belong to this log. */
  readonly discardedBytes: number;
  /** Whether a discarded commit was finished: it was if its writer had started another commit after it. */
  readonly hasDiscardedFinishedCommit: boolean;
}

/** Reads a write-ahead log. Returns undefined when it is empty. SQLite holds no locks on this file. */
export function readWriteAheadLog(file: string): WriteAheadLog | undefined {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return undefined;
    const header = readBytes(descriptor, 0, Math.min(size, sizes.header));
    const checksum = readHeaderChecksum(header);
    if (checksum === undefined)
      return { salts: undefined, intactFrames: 0, discardedBytes: size, hasDiscardedFinishedCommit: false };
    const pageSize = header.getUint32(8);
    const frames = function* (): Generator<DataView> {
      const frameSize = sizes.frameHeader + pageSize;
      for (let offset = sizes.header; offset < size; offset += frameSize)
        yield readBytes(descriptor, offset, Math.min(frameSize, size - offset));
    };
    return scanFrames(frames(), checksum, [header.getUint32(16), header.getUint32(20)], sizes.frameHeader + pageSize);
  } finally {
    closeSync(descriptor);
  }
}

function scanFrames(
  frames: Iterable<DataView>,
  checksum: WalChecksum,
  salts: readonly [number, number],
  frameSize: number,
): WriteAheadLog {
  let intactFrames = 0;
  let logEnd = 0;
  let offset = 0;
  let isIntact = true;
  let isDiscardedCommit = false;
  let hasDiscardedFinishedCommit = false;
  for (const frame of frames) {
    if (isIntact) isIntact = frame.byteLength === frameSize && isNextFrame(frame, checksum, salts);
    offset += frame.byteLength;
    if (!belongsToLog(frame, salts)) continue;
    logEnd = offset;
    const isCommit = frame.byteLength >= 8 && frame.getUint32(4) !== 0;
    if (isIntact && isCommit) intactFrames = offset / frameSize;
    else hasDiscardedFinishedCommit ||= isDiscardedCommit;
    isDiscardedCommit = isCommit && !isIntact;
  }
  const discardedBytes = Math.max(0, logEnd - intactFrames * frameSize);
  return { salts, intactFrames, discardedBytes, hasDiscardedFinishedCommit };
}

/** Both salts differ in a frame of the previous log. If only one differs, the frame is a damaged one of this log. */
function belongsToLog(frame: DataView, salts: readonly [number, number]): boolean {
  if (frame.byteLength < 16) return true;
  return frame.getUint32(8) === salts[0] || frame.getUint32(12) === salts[1];
}

function isNextFrame(frame: DataView, checksum: WalChecksum, salts: readonly [number, number]): boolean {
  if (frame.getUint32(8) !== salts[0] || frame.getUint32(12) !== salts[1]) return false;
  checksum.add(frame, 0, 8);
  checksum.add(frame, sizes.frameHeader, frame.byteLength);
  return checksum.matches(frame.getUint32(16), frame.getUint32(20));
}

/** Returns the checksum that the first frame continues; undefined when the header is damaged. */
function readHeaderChecksum(header: DataView): WalChecksum | undefined {
  if (header.byteLength < sizes.header) return undefined;
  const magicNumber = header.getUint32(0);
  if (magicNumber !== magic.little && magicNumber !== magic.big) return undefined;
  const checksum = new WalChecksum(magicNumber === magic.little);
  checksum.add(header, 0, 24);
  return checksum.matches(header.getUint32(24), header.getUint32(28)) ? checksum : undefined;
}

function readBytes(descriptor: number, offset: number, length: number): DataView {
  const buffer = new ArrayBuffer(length);
  const bytesRead = readSync(descriptor, new Uint8Array(buffer), 0, length, offset);
  return new DataView(buffer, 0, bytesRead);
}
