import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { SpoolRecord } from "@fairlead/contract";
import { listSegments, segmentName } from "./segment-name.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { decodeHeader, decodeRecords, headerBytes } from "./spool-format.ts";

const batchBytes = 256 * 1024;

/**
 * Reads a spool from its beginning, while it is being written or long after. It holds no file open between calls, so
 * there is nothing to close.
 */
export class SpoolReader {
  readonly #folder: string;
  #segment: number | null = null;
  #offset = 0;
  #lastSeq = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The sequence of the last record read, known kind or not. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Where the next record is expected; null when there is no segment yet. */
  get position(): { readonly segment: number; readonly offset: number } | null {
    return this.#segment === null ? null : { segment: this.#segment, offset: this.#offset };
  }

  /**
   * The intact records after the last one returned: a batch, so call again until it is empty. Their bytes are views
   * of one chunk; copy what you keep for long. Throws `SpoolDamaged`, after all that stands before the damage was
   * returned, and again each time.
   */
  read(): SpoolRecord[] {
    let overtaken = false;
    for (;;) {
      const before = this.#lastSeq;
      const records = this.#readSegment();
      if (records.length > 0) return records;
      if (this.#lastSeq > before) continue; // nothing but kinds we do not know
      const next = this.#nextSegment();
      if (next === undefined) return [];
      if (this.#segment === null || next === this.#lastSeq + 1) {
        this.#segment = next;
        this.#offset = 0;
        this.#lastSeq = next - 1;
      } else if (overtaken) {
        throw this.#damaged(this.#offset, `record ${this.#lastSeq + 1} is missing, though a later segment exists`);
      } else {
        // The writer went on to a new segment after we had looked at this one: now it is whole, so look again.
        overtaken = true;
      }
    }
  }

  #nextSegment(): number | undefined {
    const current = this.#segment ?? 0;
    return listSegments(this.#folder).find((first) => first > current);
  }

  #readSegment(): SpoolRecord[] {
    if (this.#segment === null) return [];
    const file = openSync(join(this.#folder, segmentName(this.#segment)), "r");
    try {
      const available = fstatSync(file).size - this.#offset;
      if (this.#offset === 0) {
        const header = decodeHeader(readPiece(file, 0, Math.min(available, headerBytes)));
        if (header.state === "damaged") throw this.#damaged(0, header.reason);
        if (header.state === "torn") return [];
        this.#offset = headerBytes;
        return this.#take(file, available - headerBytes);
      }
      return this.#take(file, available);
    } finally {
      closeSync(file);
    }
  }

  #take(file: number, available: number): SpoolRecord[] {
    if (available <= 0) return [];
    let decoded = decodeRecords(readPiece(file, this.#offset, Math.min(available, batchBytes)), this.#lastSeq);
    if (decoded.end === 0 && decoded.tail.state === "torn" && decoded.tail.needs <= available) {
      // One record larger than a batch.
      decoded = decodeRecords(readPiece(file, this.#offset, decoded.tail.needs), this.#lastSeq);
    }
    if (decoded.end === 0 && decoded.tail.state === "damaged") throw this.#damaged(this.#offset, decoded.tail.reason);
    this.#offset += decoded.end;
    this.#lastSeq = decoded.lastSeq;
    return decoded.records;
  }

  #damaged(offset: number, reason: string): SpoolDamaged {
    return new SpoolDamaged(segmentName(this.#segment ?? 0), offset, reason);
  }
}

function readPiece(file: number, offset: number, length: number): Uint8Array {
  const piece = Buffer.allocUnsafeSlow(length);
  return piece.subarray(0, readSync(file, piece, 0, length, offset));
}
