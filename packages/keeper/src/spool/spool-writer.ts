import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { SpoolRecord } from "@fairlead/contract";
import { type KeeperClock, systemClock } from "../keeper-clock.ts";
import { type Disk, realDisk, type WritableDiskFile } from "./disk.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { decodeRecords, encodeHeader, encodeRecord, headerBytes } from "./spool-format.ts";
import { listSegments, segmentName, SpoolReader } from "./spool-reader.ts";
import { TrimmedIds } from "./trimmed-ids.ts";

const defaultSegmentBytes = 64 * 1024 * 1024;

/** A record before the writer gives it a sequence and a time. */
export type SpoolEntry = Pick<SpoolRecord, "kind" | "process" | "id" | "bytes">;

export interface SpoolWriterOptions {
  readonly segmentBytes?: number;
  readonly disk?: Disk;
  readonly clock?: KeeperClock;
}

/**
 * Writes a spool. A spool has one writer at a time. Each record is one write, so that a reader in another process sees
 * it at once and a crash of this process loses nothing. Only `sync` protects against a loss of power.
 */
export class SpoolWriter {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #clock: KeeperClock;
  readonly #segmentBytes: number;
  readonly #trimmedIds: TrimmedIds;
  readonly #ids = new Map<string, number>();
  /** The sizes of the segments before the current one, by the sequence of their first records. */
  readonly #olderSegments = new Map<number, number>();
  #file: WritableDiskFile;
  #segment: number;
  #size: number;
  /** Whether bytes of a failed write may follow the last record. */
  #isTorn = false;
  #lastSeq: number;
  #lastProcess = 0;
  #trimmedTo = 0;

  /** Creates the spool, or continues after its last intact record. Throws `SpoolDamaged` instead of guessing. */
  constructor(folder: string, options: SpoolWriterOptions = {}) {
    this.#folder = folder;
    this.#disk = options.disk ?? realDisk;
    this.#clock = options.clock ?? systemClock;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#disk.makeFolder(folder);
    this.#trimmedIds = new TrimmedIds(this.#disk, folder);
    const { lastSeq, position } = this.#readAll();
    this.#lastSeq = lastSeq;
    this.#segment = position?.segment ?? 1;
    this.#size = position?.offset ?? 0;
    this.#file = this.#disk.append(this.#path(this.#segment));
    this.#cutTornTail();
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The highest number of a process that was ever launched in this session. */
  get lastProcess(): number {
    return this.#lastProcess;
  }

  /** The total size of all segments. */
  get bytes(): number {
    return this.#olderSegments.values().reduce((sum, size) => sum + size, this.#size);
  }

  /** Returns the record of a request id, if there is one. With it, a request that is sent twice is executed once. */
  seqOf(id: string): number | undefined {
    return this.#ids.get(id);
  }

  /** Writes a whole record. If it throws, nothing was written and the call may be repeated. */
  append(entry: SpoolEntry): SpoolRecord {
    const record = { seq: this.#lastSeq + 1, at: this.#clock.now(), ...entry };
    const encoded = encodeRecord(record, this.#clock.monotonic());
    if (this.#size > headerBytes && this.#size + encoded.length > this.#segmentBytes) this.roll();
    this.#write(this.#size === 0 ? Buffer.concat([encodeHeader(), encoded]) : encoded);
    this.#indexRecord(record);
    this.#lastSeq = record.seq;
    return record;
  }

  sync(): void {
    this.#file.sync();
  }

  /** Starts a new segment, unless the current one is empty. */
  roll(): void {
    if (this.#segment === this.#lastSeq + 1) return;
    this.sync();
    // The file stays empty until the first record: header and record are one write, so that both exist or neither.
    const next = this.#disk.append(this.#path(this.#lastSeq + 1));
    this.#file[Symbol.dispose]();
    this.#file = next;
    this.#olderSegments.set(this.#segment, this.#size);
    this.#segment = this.#lastSeq + 1;
    this.#size = 0;
  }

  /** Removes the segments that have no record after `upTo`, but never the newest one. Keeps their request ids. */
  trim(upTo: number): void {
    const segmentStarts = [...this.#olderSegments.keys(), this.#segment];
    const removable = segmentStarts.filter((_, index) => (segmentStarts[index + 1] ?? Infinity) - 1 <= upTo);
    const next = segmentStarts[removable.length];
    if (removable.length === 0 || next === undefined) return;
    const ids = [...this.#ids].filter(([, seq]) => seq > this.#trimmedTo && seq < next);
    this.#trimmedIds.add({ upTo: next - 1, lastProcess: this.#lastProcess, ids });
    this.#trimmedTo = next - 1;
    // Oldest first, so that a crash in between leaves no gap.
    for (const first of removable) {
      this.#disk.remove(this.#path(first));
      this.#olderSegments.delete(first);
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  #path(segment: number): string {
    return join(this.#folder, segmentName(segment));
  }

  #indexRecord(record: SpoolRecord): void {
    if (record.id !== "") this.#ids.set(record.id, record.seq);
    if (record.kind === "launch") this.#lastProcess = Math.max(this.#lastProcess, record.process);
  }

  #readAll(): SpoolReader {
    for (const { upTo, lastProcess, ids } of this.#trimmedIds.read()) {
      for (const [id, seq] of ids) this.#ids.set(id, seq);
      this.#lastProcess = lastProcess;
      this.#trimmedTo = upTo;
    }
    const segments = listSegments(this.#disk, this.#folder);
    const first = segments[0] ?? 1;
    if (first - 1 > this.#trimmedTo || (segments.length === 0 && this.#trimmedTo > 0)) {
      throw new SpoolDamaged(segmentName(first), 0, "earlier records are missing, though they were not trimmed");
    }
    for (const segment of segments.slice(0, -1)) {
      using file = this.#disk.read(this.#path(segment));
      this.#olderSegments.set(segment, file?.size ?? 0);
    }
    const reader = new SpoolReader(this.#folder, { disk: this.#disk });
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) {
      for (const record of batch) this.#indexRecord(record);
    }
    return reader;
  }

  #cutTornTail(): void {
    const tail = this.#file.read(this.#size, this.#file.size - this.#size);
    const damage = findDamageInTail(tail, this.#lastSeq);
    if (damage !== null) throw new SpoolDamaged(segmentName(this.#segment), this.#size, damage);
    this.#file.truncate(this.#size);
  }

  #write(bytes: Uint8Array): void {
    if (this.#isTorn) this.#truncateTornWrite();
    try {
      this.#file.append(bytes);
    } catch (error) {
      this.#isTorn = true;
      this.#truncateTornWrite();
      throw error;
    }
    this.#size += bytes.length;
  }

  #truncateTornWrite(): void {
    this.#file.truncate(this.#size);
    this.#isTorn = false;
  }
}

/**
 * Checks a torn tail before it is cut off. A torn tail is the beginning of one record. If a wrong length only makes a
 * record look torn, intact records may follow, which must not be lost. Returns the damage, or null.
 */
function findDamageInTail(tail: Buffer, lastSeq: number): string | null {
  // The checksum does not cover the length. If it matches all remaining bytes, the length is wrong.
  if (tail.length > 8 && crc32(tail.subarray(8)) === tail.readUInt32LE(4)) return "the length of a record is wrong";
  const nextSeqBytes = Buffer.alloc(8);
  nextSeqBytes.writeBigUInt64LE(BigInt(lastSeq + 2));
  for (let offset = tail.indexOf(nextSeqBytes); offset !== -1; offset = tail.indexOf(nextSeqBytes, offset + 1)) {
    if (offset >= 12 && decodeRecords(tail.subarray(offset - 12), lastSeq + 1).end > 0) {
      return `record ${lastSeq + 1} is broken, but an intact record follows it`;
    }
  }
  return null;
}
