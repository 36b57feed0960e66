import { crc32 } from "node:zlib";
import type { RecordKind, SpoolRecord } from "@fairlead/contract";

/** The bytes of a spool, version 1, as docs/spool.md has them. Pure: no files here. All numbers are little-endian. */

const magic = Buffer.from("FAIRLEADSPL\0", "latin1");
const version = 1;

/** Every segment begins with so many bytes: the magic and the version. */
export const headerBytes = 16;
/** The most a record may carry. */
export const maxPayload = 16 * 1024 * 1024;
/** The longest id of a frame, in UTF-8 bytes. */
export const maxId = 1024;

/** Length and checksum, which the checksum does not cover. */
const prefixBytes = 8;
/** What is left of an empty record without its prefix. */
const fixedBytes = 30;

/** The number of each kind on disk. Numbers are never given twice; a reader passes over those it does not know. */
const kindNumbers: Readonly<Record<RecordKind, number>> = {
  note: 1,
  launch: 2,
  in: 3,
  hangup: 4,
  signal: 5,
  out: 6,
  err: 7,
  exit: 8,
  screen: 9,
};
const kinds = new Map(Object.entries(kindNumbers).map(([kind, number]) => [number, kind as RecordKind]));

/** What stands after the last intact record. */
export type Tail =
  | { readonly state: "complete" }
  /** The bytes end inside a record; `needs` is how many it takes, as far as can be told. */
  | { readonly state: "torn"; readonly needs: number }
  | { readonly state: "damaged"; readonly reason: string };

export interface Decoded {
  readonly records: SpoolRecord[];
  /** Where the first byte after the last intact record stands. */
  readonly end: number;
  /** The sequence of the last intact record, known kind or not. */
  readonly lastSeq: number;
  readonly tail: Tail;
}

export function encodeHeader(): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32LE(version, magic.length);
  return header;
}

export function decodeHeader(bytes: Uint8Array): Tail {
  if (bytes.length < headerBytes) return { state: "torn", needs: headerBytes };
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytes);
  if (header.compare(magic, 0, magic.length, 0, magic.length) !== 0) {
    return { state: "damaged", reason: "it does not begin like a spool" };
  }
  const found = header.readUInt32LE(magic.length);
  if (found !== version) return { state: "damaged", reason: `it has format version ${found}, not ${version}` };
  return { state: "complete" };
}

/** With the clock that never jumps, which the spool keeps for people who look into a slow session. */
export function encodeRecord(record: SpoolRecord, monotonic: bigint): Uint8Array {
  const idLength = record.id === "" ? 0 : Buffer.byteLength(record.id);
  if (idLength > maxId) throw new RangeError(`An id may have ${maxId} bytes, not ${idLength}.`);
  if (record.bytes.length > maxPayload) {
    throw new RangeError(`A record may carry ${maxPayload} bytes, not ${record.bytes.length}.`);
  }
  const length = fixedBytes + idLength + record.bytes.length;
  const buffer = Buffer.allocUnsafe(prefixBytes + length);
  // A view writes what takes a buffer several calls, and there is one record for every word of every agent.
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  view.setUint32(0, length, true);
  view.setUint8(8, kindNumbers[record.kind]);
  view.setUint8(9, 0);
  view.setUint16(10, record.process, true);
  setUint64(view, 12, record.seq);
  setUint64(view, 20, record.at * 1000);
  view.setBigUint64(28, monotonic, true);
  view.setUint16(36, idLength, true);
  if (idLength > 0) buffer.write(record.id, 38, "utf8");
  buffer.set(record.bytes, 38 + idLength);
  view.setUint32(4, crc32(buffer.subarray(prefixBytes)), true);
  return buffer;
}

/** All intact records of a piece of a segment, which must begin at a record. Their bytes are views of the piece. */
export function decodeRecords(piece: Uint8Array, afterSeq: number): Decoded {
  const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  const records: SpoolRecord[] = [];
  let end = 0;
  let lastSeq = afterSeq;
  const stop = (tail: Tail): Decoded => ({ records, end, lastSeq, tail });

  while (end < buffer.length) {
    if (buffer.length - end < prefixBytes) return stop({ state: "torn", needs: prefixBytes });
    const length = buffer.readUInt32LE(end);
    if (length < fixedBytes || length > fixedBytes + maxId + maxPayload) {
      return stop({ state: "damaged", reason: `a record of ${length} bytes is impossible` });
    }
    const next = end + prefixBytes + length;
    if (next > buffer.length) return stop({ state: "torn", needs: prefixBytes + length });
    if (crc32(buffer.subarray(end + prefixBytes, next)) !== buffer.readUInt32LE(end + 4)) {
      return stop({ state: "damaged", reason: "the checksum of a record is wrong" });
    }
    const seq = readUInt64(buffer, end + 12);
    if (seq !== lastSeq + 1) return stop({ state: "damaged", reason: `record ${seq} follows record ${lastSeq}` });
    const bytesAt = end + 38 + buffer.readUInt16LE(end + 36);
    if (bytesAt > next) return stop({ state: "damaged", reason: "an id is longer than its record" });

    const kind = kinds.get(buffer.readUInt8(end + 8));
    if (kind !== undefined) {
      records.push({
        seq,
        kind,
        process: buffer.readUInt16LE(end + 10),
        at: Math.floor(readUInt64(buffer, end + 20) / 1000),
        id: bytesAt === end + 38 ? "" : buffer.toString("utf8", end + 38, bytesAt),
        bytes: buffer.subarray(bytesAt, next),
      });
    }
    end = next;
    lastSeq = seq;
  }
  return stop({ state: "complete" });
}

/** Exact up to 2^53, which is 285 years of microseconds; quicker than a bigint. */
function readUInt64(buffer: Buffer, offset: number): number {
  return buffer.readUInt32LE(offset) + buffer.readUInt32LE(offset + 4) * 2 ** 32;
}

function setUint64(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value % 2 ** 32, true);
  view.setUint32(offset + 4, value / 2 ** 32, true);
}
