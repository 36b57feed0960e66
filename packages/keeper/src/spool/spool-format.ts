import { crc32 } from "node:zlib";
import type { RecordKind, SpoolRecord } from "@fairlead/contract";

/** Encodes and decodes spool format version 1 (docs/internals/spool.md). Pure: no file access. All numbers are little-endian. */

const magic = Buffer.from("FAIRLEADSPL\0", "latin1");
const version = 1;

/** The length of a segment's header: magic and version. */
export const headerBytes = 16;
/** The largest payload of a record. */
export const maxPayloadBytes = 16 * 1024 * 1024;
/** The highest number of a process: a record has two bytes for it. */
export const maxProcessNumber = 65_535;
/** The longest id of a request, in UTF-8 bytes. */
export const maxIdBytes = 1024;

/** Length and checksum. The checksum does not cover them. */
const prefixBytes = 8;
/** The length of an empty record without its prefix. */
const fixedBytes = 30;

/** The number of each kind on disk. Numbers are never reused. A reader skips records with unknown numbers. */
const kindNumbers: Readonly<Record<RecordKind, number>> = {
  note: 1,
  launch: 2,
  in: 3,
  "stdin-closed": 4,
  signal: 5,
  out: 6,
  err: 7,
  exit: 8,
  screen: 9,
  network: 10,
};
const kindsByNumber = new Map(Object.entries(kindNumbers).map(([kind, number]) => [number, kind as RecordKind]));

/** The state of the bytes after the last intact record. */
export type SpoolTail =
  | { readonly state: "complete" }
  /** The bytes end within a record. `neededBytes` is its length as far as it is known. */
  | { readonly state: "torn"; readonly neededBytes: number }
  | { readonly state: "damaged"; readonly reason: string };

export interface DecodedRecords {
  readonly records: SpoolRecord[];
  /** The offset after the last intact record. */
  readonly end: number;
  /** The sequence of the last intact record, including records of unknown kinds. */
  readonly lastSeq: number;
  readonly tail: SpoolTail;
}

export function encodeHeader(): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32LE(version, magic.length);
  return header;
}

export function decodeHeader(bytes: Uint8Array): SpoolTail {
  if (bytes.length < headerBytes) return { state: "torn", neededBytes: headerBytes };
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytes);
  if (header.compare(magic, 0, magic.length, 0, magic.length) !== 0) {
    return { state: "damaged", reason: "the file has no spool header" };
  }
  const foundVersion = header.readUInt32LE(magic.length);
  if (foundVersion !== version)
    return { state: "damaged", reason: `the file has format version ${foundVersion}, not ${version}` };
  return { state: "complete" };
}

/**
 * Encodes a record. `monotonic` is a time, in nanoseconds, that never jumps; people use it to analyze slow sessions.
 */
export function encodeRecord(record: SpoolRecord, monotonic: bigint): Uint8Array {
  const idLength = record.id === "" ? 0 : Buffer.byteLength(record.id);
  if (idLength > maxIdBytes) throw new RangeError(`The id has ${idLength} bytes; the limit is ${maxIdBytes}.`);
  if (record.process > maxProcessNumber) throw new RangeError(`There is no process number ${record.process}.`);
  if (record.bytes.length > maxPayloadBytes) {
    throw new RangeError(`The payload has ${record.bytes.length} bytes; the limit is ${maxPayloadBytes}.`);
  }
  const length = fixedBytes + idLength + record.bytes.length;
  const buffer = Buffer.allocUnsafe(prefixBytes + length);
  // A DataView writes in one call what takes a Buffer several, and every chunk of agent output becomes a record.
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

/** Decodes the intact records of a chunk, which must start at a record. Their bytes are views of the chunk. */
export function decodeRecords(chunk: Uint8Array, afterSeq: number): DecodedRecords {
  const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const records: SpoolRecord[] = [];
  let end = 0;
  let lastSeq = afterSeq;
  const result = (tail: SpoolTail): DecodedRecords => ({ records, end, lastSeq, tail });

  while (end < buffer.length) {
    if (buffer.length - end < prefixBytes) return result({ state: "torn", neededBytes: prefixBytes });
    const length = buffer.readUInt32LE(end);
    if (length < fixedBytes || length > fixedBytes + maxIdBytes + maxPayloadBytes) {
      return result({ state: "damaged", reason: `a record of ${length} bytes is impossible` });
    }
    const next = end + prefixBytes + length;
    if (next > buffer.length) return result({ state: "torn", neededBytes: prefixBytes + length });
    if (crc32(buffer.subarray(end + prefixBytes, next)) !== buffer.readUInt32LE(end + 4)) {
      return result({ state: "damaged", reason: "the checksum of a record is wrong" });
    }
    const seq = readUInt64(buffer, end + 12);
    if (seq !== lastSeq + 1) return result({ state: "damaged", reason: `record ${seq} follows record ${lastSeq}` });
    const bytesAt = end + 38 + buffer.readUInt16LE(end + 36);
    if (bytesAt > next) return result({ state: "damaged", reason: "an id is longer than its record" });

    const kind = kindsByNumber.get(buffer.readUInt8(end + 8));
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
  return result({ state: "complete" });
}

/** Decodes one record that was stored alone, with the number that it had in its spool. Returns null if it is damaged. */
export function decodeRecord(bytes: Uint8Array): SpoolRecord | null {
  if (bytes.length < prefixBytes + fixedBytes) return null;
  const seq = readUInt64(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 12);
  const { records, tail } = decodeRecords(bytes, seq - 1);
  return tail.state === "complete" && records.length === 1 ? (records[0] ?? null) : null;
}

/** Exact up to 2^53, which is 285 years of microseconds. Faster than a bigint. */
function readUInt64(buffer: Buffer, offset: number): number {
  return buffer.readUInt32LE(offset) + buffer.readUInt32LE(offset + 4) * 2 ** 32;
}

function setUint64(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value % 2 ** 32, true);
  view.setUint32(offset + 4, value / 2 ** 32, true);
}
