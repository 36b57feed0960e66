import { join } from "node:path";
import type { SpoolRecord } from "@fairlead/contract";
import { type Disk, type DiskFile, realDisk } from "./disk.ts";
import { isZeroFilledTail } from "./lost-sectors.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { type DecodedRecords, decodeHeader, decodeRecords, headerBytes } from "./spool-format.ts";
import { SpoolTrimmed } from "./spool-trimmed.ts";

const batchBytes = 128 * 1024;
const segmentPattern = /^(\d{12})\.spool$/;

export interface SpoolReaderOptions {
  /** Starts after this record without reading earlier ones. Default: starts at the first record that is not trimmed. */
  readonly after?: number;
  /** Reuses one buffer for all batches. Only for callers that finish with a batch before they read the next. */
  readonly reuseBuffer?: boolean;
  readonly disk?: Disk;
}

/**
 * Reads a spool, also while it is written. It keeps no file open between calls, so it need not be closed.
 */
export class SpoolReader {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #after: number | undefined;
  #segment: number | null = null;
  #offset = 0;
  #lastSeq = 0;
  readonly #unsynced = new Set<number>();
  readonly #reuseBuffer: boolean;
  /** Allocated only while there is something to read, so that a reader of a quiet session uses no memory for it. */
  #chunk: Buffer | undefined;

  constructor(folder: string, options: SpoolReaderOptions = {}) {
    this.#folder = folder;
    this.#disk = options.disk ?? realDisk;
    this.#after = options.after;
    this.#reuseBuffer = options.reuseBuffer ?? false;
  }

  /** The sequence of the first record that is not trimmed; 1 while there is none. */
  get firstSeq(): number {
    return listSegments(this.#disk, this.#folder)[0] ?? 1;
  }

  /** The sequence of the last record read, including records of unknown kinds. */
  get lastSeq(): number {
    return Math.max(this.#lastSeq, this.#after ?? 0);
  }

  /** The position of the next record; null if there is no segment yet. */
  get position(): { readonly segment: number; readonly offset: number } | null {
    return this.#segment === null ? null : { segment: this.#segment, offset: this.#offset };
  }

  /**
   * Returns the next batch of intact records. Call it until the batch is empty. The bytes of the records are views of
   * one buffer: copy what you keep for long, and with `reuseBuffer` everything that you keep beyond the next call.
   * Throws `SpoolDamaged` at damage and `SpoolTrimmed` if the next record was trimmed; both only after all records
   * before it were returned, and again at each further call.
   */
  read(): SpoolRecord[] {
    for (;;) {
      const previousSeq = this.#lastSeq;
      const records = this.#readSegment();
      if (records.length > 0) return records;
      if (this.#lastSeq > previousSeq) continue; // only records before `after`, or of unknown kinds
      if (this.#advanceSegment()) continue;
      this.#chunk = undefined;
      return [];
    }
  }

  /** Moves to the next segment if there is one and the current one is read to its end. */
  #advanceSegment(): boolean {
    const segments = listSegments(this.#disk, this.#folder);
    if (this.#segment === null) return this.#openFirstSegment(segments);
    const current = this.#segment;
    const next = segments.find((first) => first > current);
    if (next === undefined) return false;
    if (next === this.#lastSeq + 1) return this.#startSegment(next);
    // The writer may have appended to this segment and started a new one since the last read. Read it again.
    if (this.#hasMore()) return true;
    if (!segments.includes(current)) throw new SpoolTrimmed(this.#lastSeq + 1, segments[0] ?? next);
    throw this.#damageError(this.#offset, `record ${this.#lastSeq + 1} is missing, though a later segment exists`);
  }

  #openFirstSegment(segments: readonly number[]): boolean {
    const [first] = segments;
    if (first === undefined) return false;
    const nextSeq = (this.#after ?? first - 1) + 1;
    if (nextSeq < first) throw new SpoolTrimmed(nextSeq, first);
    return this.#startSegment(segments.findLast((segment) => segment <= nextSeq) ?? first);
  }

  #startSegment(segment: number): true {
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
   * Resolves when all records read so far survive a loss of power. Any process may sync a file. It is asynchronous,
   * because a process that reads many spools would block for each sync.
   */
  async sync(): Promise<void> {
    for (const segment of this.#unsynced) {
      // Opened for reading: opening for appending would create a segment again that was trimmed in the meantime.
      using file = this.#disk.read(join(this.#folder, segmentName(segment)));
      await file?.syncAsync();
      this.#unsynced.delete(segment);
    }
  }

  #readSegment(): SpoolRecord[] {
    using file = this.#open();
    if (file === null) return [];
    if (this.#offset === 0) {
      const header = decodeHeader(file.read(0, headerBytes));
      if (header.state === "damaged" && !this.#isLostTail(file)) throw this.#damageError(0, header.reason);
      if (header.state !== "complete") return [];
      this.#offset = headerBytes;
    }
    const decoded = this.#decode(file, this.#offset);
    if (decoded.end === 0 && decoded.tail.state === "damaged" && !this.#isLostTail(file)) {
      throw this.#damageError(this.#offset, decoded.tail.reason);
    }
    this.#offset += decoded.end;
    this.#lastSeq = decoded.lastSeq;
    if (this.#segment !== null && decoded.end > 0) this.#unsynced.add(this.#segment);
    const after = this.#after ?? 0;
    return decoded.records.filter((record) => record.seq > after);
  }

  /** Decodes a batch from an offset, or one whole record if that is larger. */
  #decode(file: DiskFile, offset: number): DecodedRecords {
    if (this.#reuseBuffer) this.#chunk ??= Buffer.allocUnsafeSlow(batchBytes);
    const decoded = decodeRecords(file.read(offset, batchBytes, this.#chunk), this.#lastSeq);
    const { end, tail } = decoded;
    if (end > 0 || tail.state !== "torn" || tail.neededBytes <= batchBytes || tail.neededBytes > file.size - offset)
      return decoded;
    return decodeRecords(file.read(offset, tail.neededBytes), this.#lastSeq);
  }

  #isLostTail(file: DiskFile): boolean {
    const isLast = listSegments(this.#disk, this.#folder).at(-1) === this.#segment;
    return isLast && isZeroFilledTail(file, this.#offset);
  }

  #damageError(offset: number, reason: string): SpoolDamaged {
    return new SpoolDamaged(segmentName(this.#segment ?? 0), offset, reason);
  }
}

/**
 * Returns the file name of a segment: the sequence of its first record, so that its position is known without opening
 * it.
 */
export function segmentName(firstSeq: number): string {
  return `${String(firstSeq).padStart(12, "0")}.spool`;
}

/** Lists the segments of a spool, in order, by the sequence of their first records. */
export function listSegments(disk: Disk, folder: string): number[] {
  return disk
    .list(folder)
    .flatMap((name) => segmentPattern.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}
