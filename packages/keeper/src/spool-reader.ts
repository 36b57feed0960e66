import { join } from "node:path";
import type { SpoolRecord } from "@fairlead/contract";
import { type Disk, type DiskFile, realDisk } from "./disk.ts";
import { isLostToZeros } from "./lost-sectors.ts";
import { listSegments, segmentName } from "./segment-name.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { type Decoded, decodeHeader, decodeRecords, headerBytes } from "./spool-format.ts";
import { SpoolTrimmed } from "./spool-trimmed.ts";

const batchBytes = 128 * 1024;

export interface SpoolReaderOptions {
  /** Begin after this record, without looking at what stands before it; the first that is still there unless told. */
  readonly after?: number;
  /** Whether each batch may lie where the one before it lay: for who is done with one before asking for the next. */
  readonly inPlace?: boolean;
  readonly disk?: Disk;
}

/**
 * Reads a spool, while it is being written or long after. It holds no file open between calls, so there is nothing to
 * close.
 */
export class SpoolReader {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #after: number | undefined;
  #segment: number | null = null;
  #offset = 0;
  #lastSeq = 0;
  readonly #unsynced = new Set<number>();
  readonly #inPlace: boolean;
  /** Only while there is much to read: who follows a quiet session should hold nothing. */
  #chunk: Buffer | undefined;

  constructor(folder: string, options: SpoolReaderOptions = {}) {
    this.#folder = folder;
    this.#disk = options.disk ?? realDisk;
    this.#after = options.after;
    this.#inPlace = options.inPlace ?? false;
  }

  /** The sequence of the first record that has not been trimmed; 1 while there is none. */
  get firstSeq(): number {
    return listSegments(this.#disk, this.#folder)[0] ?? 1;
  }

  /** The sequence of the last record read, known kind or not. */
  get lastSeq(): number {
    return Math.max(this.#lastSeq, this.#after ?? 0);
  }

  /** Where the next record is expected; null when there is no segment yet. */
  get position(): { readonly segment: number; readonly offset: number } | null {
    return this.#segment === null ? null : { segment: this.#segment, offset: this.#offset };
  }

  /**
   * The intact records after the last one returned: a batch, so call again until it is empty. Their bytes are views
   * of one chunk; copy what you keep for long, or at all when it is read in place. Throws, after all that stands before it was returned, and again each
   * time: `SpoolDamaged`; or `SpoolTrimmed` when the next record is gone for good.
   */
  read(): SpoolRecord[] {
    for (;;) {
      const before = this.#lastSeq;
      const records = this.#readSegment();
      if (records.length > 0) return records;
      if (this.#lastSeq > before) continue; // nothing but what was known, or kinds that we do not know
      if (this.#goOn()) continue;
      this.#chunk = undefined;
      return [];
    }
  }

  /** Goes on to the next segment, when there is one and this one is at its end. */
  #goOn(): boolean {
    const segments = listSegments(this.#disk, this.#folder);
    if (this.#segment === null) return this.#begin(segments);
    const current = this.#segment;
    const next = segments.find((first) => first > current);
    if (next === undefined) return false;
    if (next === this.#lastSeq + 1) return this.#enter(next);
    // The writer may have gone on to a new segment after we had looked at this one: now it is whole, so look again.
    if (this.#hasMore()) return true;
    if (!segments.includes(current)) throw new SpoolTrimmed(this.#lastSeq + 1, segments[0] ?? next);
    throw this.#damaged(this.#offset, `record ${this.#lastSeq + 1} is missing, though a later segment exists`);
  }

  #begin(segments: readonly number[]): boolean {
    const [first] = segments;
    if (first === undefined) return false;
    const wanted = (this.#after ?? first - 1) + 1;
    if (wanted < first) throw new SpoolTrimmed(wanted, first);
    return this.#enter(segments.findLast((segment) => segment <= wanted) ?? first);
  }

  #enter(segment: number): true {
    this.#segment = segment;
    this.#offset = 0;
    this.#lastSeq = segment - 1;
    return true;
  }

  #hasMore(): boolean {
    using file = this.#open();
    if (file === null) return false;
    return this.#decode(file, Math.max(this.#offset, headerBytes)).end > 0;
  }

  #open(): DiskFile | null {
    return this.#segment === null ? null : this.#disk.read(join(this.#folder, segmentName(this.#segment)));
  }

  /**
   * Resolves when all that was read holds against a loss of power. Any process may see to that. One that reads many
   * spools would otherwise stand still for each of their disk's answers.
   */
  async sync(): Promise<void> {
    for (const segment of this.#unsynced) {
      // Opened for reading: opening to write would bring back a segment that has been trimmed meanwhile.
      using file = this.#disk.read(join(this.#folder, segmentName(segment)));
      await file?.synced();
      this.#unsynced.delete(segment);
    }
  }

  #readSegment(): SpoolRecord[] {
    using file = this.#open();
    if (file === null) return [];
    if (this.#offset === 0) {
      const header = decodeHeader(file.read(0, headerBytes));
      if (header.state === "damaged" && !this.#isLost(file)) throw this.#damaged(0, header.reason);
      if (header.state !== "complete") return [];
      this.#offset = headerBytes;
    }
    const decoded = this.#decode(file, this.#offset);
    if (decoded.end === 0 && decoded.tail.state === "damaged" && !this.#isLost(file)) {
      throw this.#damaged(this.#offset, decoded.tail.reason);
    }
    this.#offset += decoded.end;
    this.#lastSeq = decoded.lastSeq;
    if (this.#segment !== null && decoded.end > 0) this.#unsynced.add(this.#segment);
    const after = this.#after ?? 0;
    return decoded.records.filter((record) => record.seq > after);
  }

  /** A batch from an offset on, or one whole record if that is larger. */
  #decode(file: DiskFile, offset: number): Decoded {
    if (this.#inPlace) this.#chunk ??= Buffer.allocUnsafeSlow(batchBytes);
    const decoded = decodeRecords(file.read(offset, batchBytes, this.#chunk), this.#lastSeq);
    const { end, tail } = decoded;
    if (end > 0 || tail.state !== "torn" || tail.needs <= batchBytes || tail.needs > file.size - offset) return decoded;
    return decodeRecords(file.read(offset, tail.needs), this.#lastSeq);
  }

  #isLost(file: DiskFile): boolean {
    const isLast = listSegments(this.#disk, this.#folder).at(-1) === this.#segment;
    return isLast && isLostToZeros(file, this.#offset);
  }

  #damaged(offset: number, reason: string): SpoolDamaged {
    return new SpoolDamaged(segmentName(this.#segment ?? 0), offset, reason);
  }
}
