import { join } from "node:path";
import type { SpoolRecord } from "@fairlead/contract";
import { type Disk, realDisk, type WritableDiskFile } from "./disk.ts";
import { listSegments, segmentName } from "./segment-name.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { encodeHeader, encodeRecord, headerBytes } from "./spool-format.ts";
import { SpoolReader } from "./spool-reader.ts";
import { explainTornTail } from "./torn-tail.ts";
import { TrimmedIds } from "./trimmed-ids.ts";

const defaultSegmentBytes = 64 * 1024 * 1024;

export type Entry = Pick<SpoolRecord, "kind" | "process" | "id" | "bytes">;

export interface SpoolWriterOptions {
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

/**
 * The one writer of a spool. Each record is one write, so that a reader in another process sees it at once and a crash
 * of ours loses nothing; only `sync` holds against a loss of power.
 */
export class SpoolWriter {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #segmentBytes: number;
  readonly #trimmedIds: TrimmedIds;
  readonly #ids = new Map<string, number>();
  /** The segments before the current one, by their first record, with their sizes. */
  readonly #former = new Map<number, number>();
  #file: WritableDiskFile;
  #segment: number;
  #size: number;
  /** Something that was not written whole still stands behind the last record. */
  #isTorn = false;
  #lastSeq: number;
  #lastProcess = 0;
  #trimmedTo = 0;

  /** Creates the spool, or continues after its last intact record. Throws `SpoolDamaged` rather than guess. */
  constructor(folder: string, options: SpoolWriterOptions = {}) {
    this.#folder = folder;
    this.#disk = options.disk ?? realDisk;
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

  /** The highest number of a process that was ever launched here. */
  get lastProcess(): number {
    return this.#lastProcess;
  }

  /** How many bytes all segments have together. */
  get bytes(): number {
    return this.#former.values().reduce((sum, size) => sum + size, this.#size);
  }

  /** The record that a frame's id has led to, if it has; this is what makes a frame sent twice be done once. */
  seqOf(id: string): number | undefined {
    return this.#ids.get(id);
  }

  /** Writes a record whole or, when it throws, not at all; then it may be tried again. */
  append(entry: Entry): SpoolRecord {
    const record = { seq: this.#lastSeq + 1, at: Date.now(), ...entry };
    const encoded = encodeRecord(record, process.hrtime.bigint());
    if (this.#size > headerBytes && this.#size + encoded.length > this.#segmentBytes) this.roll();
    this.#write(this.#size === 0 ? Buffer.concat([encodeHeader(), encoded]) : encoded);
    this.#remember(record);
    this.#lastSeq = record.seq;
    return record;
  }

  sync(): void {
    this.#file.sync();
  }

  /** Begins a new segment, unless the current one is empty. */
  roll(): void {
    if (this.#segment === this.#lastSeq + 1) return;
    this.sync();
    // It stays empty until its first record comes: then header and record are written together, or neither is.
    const next = this.#disk.append(this.#path(this.#lastSeq + 1));
    this.#file[Symbol.dispose]();
    this.#file = next;
    this.#former.set(this.#segment, this.#size);
    this.#segment = this.#lastSeq + 1;
    this.#size = 0;
  }

  /** Removes the segments that hold nothing after a record, but never the newest. Their ids stay known. */
  trim(upTo: number): void {
    const firsts = [...this.#former.keys(), this.#segment];
    const doomed = firsts.filter((_, index) => (firsts[index + 1] ?? Infinity) - 1 <= upTo);
    const next = firsts[doomed.length];
    if (doomed.length === 0 || next === undefined) return;
    const ids = [...this.#ids].filter(([, seq]) => seq > this.#trimmedTo && seq < next);
    this.#trimmedIds.add({ upTo: next - 1, lastProcess: this.#lastProcess, ids });
    this.#trimmedTo = next - 1;
    // The oldest first, so that what is left has no gap if we die over it.
    for (const first of doomed) {
      this.#disk.remove(this.#path(first));
      this.#former.delete(first);
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  #path(segment: number): string {
    return join(this.#folder, segmentName(segment));
  }

  #remember(record: SpoolRecord): void {
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
      throw new SpoolDamaged(segmentName(first), 0, "what stood before it was not trimmed, and is missing");
    }
    for (const segment of segments.slice(0, -1)) {
      using file = this.#disk.read(this.#path(segment));
      this.#former.set(segment, file?.size ?? 0);
    }
    const reader = new SpoolReader(this.#folder, { disk: this.#disk });
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) {
      for (const record of batch) this.#remember(record);
    }
    return reader;
  }

  #cutTornTail(): void {
    const torn = this.#file.read(this.#size, this.#file.size - this.#size);
    const damage = explainTornTail(torn, this.#lastSeq);
    if (damage !== null) throw new SpoolDamaged(segmentName(this.#segment), this.#size, damage);
    this.#file.truncate(this.#size);
  }

  #write(bytes: Uint8Array): void {
    if (this.#isTorn) this.#mend();
    try {
      this.#file.append(bytes);
    } catch (error) {
      this.#isTorn = true;
      this.#mend();
      throw error;
    }
    this.#size += bytes.length;
  }

  #mend(): void {
    this.#file.truncate(this.#size);
    this.#isTorn = false;
  }
}
