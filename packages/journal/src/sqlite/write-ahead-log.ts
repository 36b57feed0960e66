import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { WalSum } from "./wal-sum.ts";

// See https://www.sqlite.org/walformat.html: numbers are big-endian, the checksum reads its words as the magic says.
const sizes = { header: 32, frameHeader: 24 };
const magic = { little: 0x377f0682, big: 0x377f0683 };

/** What stands in a write-ahead log, by its own checksums. Its frames are pages of the database, not frames of ours. */
export interface WriteAheadLog {
  /** The salts tell this log's frames from those of the log that was here before; none when the header is damaged. */
  readonly salts: readonly [number, number] | undefined;
  /** How many frames there are up to the last intact commit: what SQLite will keep. */
  readonly kept: number;
  /** The bytes after it that are this log's. */
  readonly leftOut: number;
  /** Whether a commit that is not kept had been finished, since its writer had begun another one. */
  readonly finishedAfter: boolean;
}

/** Reads a write-ahead log; nothing when there is none, or nothing in it. SQLite holds no locks on this file. */
export function readWriteAheadLog(file: string): WriteAheadLog | undefined {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return undefined;
    const header = bytesAt(descriptor, 0, Math.min(size, sizes.header));
    const sum = headerSum(header);
    if (sum === undefined) return { salts: undefined, kept: 0, leftOut: size, finishedAfter: false };
    const page = header.getUint32(8);
    const frames = function* (): Generator<DataView> {
      const step = sizes.frameHeader + page;
      for (let at = sizes.header; at < size; at += step) yield bytesAt(descriptor, at, Math.min(step, size - at));
    };
    return walk(frames(), sum, [header.getUint32(16), header.getUint32(20)], sizes.frameHeader + page);
  } finally {
    closeSync(descriptor);
  }
}

function walk(frames: Iterable<DataView>, sum: WalSum, salts: readonly [number, number], whole: number): WriteAheadLog {
  const read = { kept: 0, end: 0, at: 0, intact: true, commit: false, finishedAfter: false };
  for (const frame of frames) {
    if (read.intact) read.intact = frame.byteLength === whole && isNext(frame, sum, salts);
    read.at += frame.byteLength;
    if (!isOfLog(frame, salts)) continue;
    read.end = read.at;
    const commits = frame.byteLength >= 8 && frame.getUint32(4) !== 0;
    if (read.intact && commits) read.kept = read.at / whole;
    else read.finishedAfter ||= read.commit;
    read.commit = commits && !read.intact;
  }
  const { kept, finishedAfter } = read;
  return { salts, kept, leftOut: Math.max(0, read.end - kept * whole), finishedAfter };
}

/** A frame of the log before has two other salts; with one other salt, it is one of ours that is damaged. */
function isOfLog(frame: DataView, salts: readonly [number, number]): boolean {
  if (frame.byteLength < 16) return true;
  return frame.getUint32(8) === salts[0] || frame.getUint32(12) === salts[1];
}

function isNext(frame: DataView, sum: WalSum, salts: readonly [number, number]): boolean {
  if (frame.getUint32(8) !== salts[0] || frame.getUint32(12) !== salts[1]) return false;
  sum.add(frame, 0, 8);
  sum.add(frame, sizes.frameHeader, frame.byteLength);
  return sum.is(frame.getUint32(16), frame.getUint32(20));
}

/** The checksum that the frames go on from; nothing when the header is not as it was written. */
function headerSum(header: DataView): WalSum | undefined {
  if (header.byteLength < sizes.header) return undefined;
  const word = header.getUint32(0);
  if (word !== magic.little && word !== magic.big) return undefined;
  const sum = new WalSum(word === magic.little);
  sum.add(header, 0, 24);
  return sum.is(header.getUint32(24), header.getUint32(28)) ? sum : undefined;
}

function bytesAt(descriptor: number, at: number, length: number): DataView {
  const buffer = new ArrayBuffer(length);
  const read = readSync(descriptor, new Uint8Array(buffer), 0, length, at);
  return new DataView(buffer, 0, read);
}
