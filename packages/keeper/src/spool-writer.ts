import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SpoolRecord } from "@fairlead/contract";
import { segmentName } from "./segment-name.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { encodeHeader, encodeRecord, headerBytes } from "./spool-format.ts";
import { SpoolReader } from "./spool-reader.ts";
import { explainTornTail } from "./torn-tail.ts";

const defaultSegmentBytes = 64 * 1024 * 1024;

export type Entry = Pick<SpoolRecord, "kind" | "process" | "id" | "bytes">;

/**
 * The one writer of a spool. Each record is one write, so that a reader in another process sees it at once and a crash
 * of ours loses nothing; only `sync` holds against a loss of power.
 */
export class SpoolWriter {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #ids = new Map<string, number>();
  #file: number;
  #size: number;
  #lastSeq: number;
  #lastProcess = 0;

  /** Creates the spool, or continues after its last intact record. Throws `SpoolDamaged` rather than guess. */
  constructor(folder: string, options: { readonly segmentBytes?: number } = {}) {
    this.#folder = folder;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const reader = this.#readAll();
    this.#lastSeq = reader.lastSeq;
    const { segment, offset } = reader.position ?? { segment: 1, offset: 0 };
    this.#file = openSync(join(folder, segmentName(segment)), "a+", 0o600);
    this.#size = offset;
    this.#cutTornTail(segment);
    if (this.#size === 0) this.#write(encodeHeader());
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The highest number of a process that was ever launched here. */
  get lastProcess(): number {
    return this.#lastProcess;
  }

  /** The record that a frame's id has led to, if it has; this is what makes a frame sent twice be done once. */
  seqOf(id: string): number | undefined {
    return this.#ids.get(id);
  }

  append(entry: Entry): SpoolRecord {
    const record = { seq: this.#lastSeq + 1, at: Date.now(), ...entry };
    const encoded = encodeRecord({ ...record, monotonic: process.hrtime.bigint() });
    if (this.#size > headerBytes && this.#size + encoded.length > this.#segmentBytes) this.#roll();
    this.#write(encoded);
    this.#remember(record);
    this.#lastSeq = record.seq;
    return record;
  }

  sync(): void {
    fsyncSync(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #remember(record: SpoolRecord): void {
    if (record.id !== "") this.#ids.set(record.id, record.seq);
    if (record.kind === "launch") this.#lastProcess = Math.max(this.#lastProcess, record.process);
  }

  #readAll(): SpoolReader {
    const reader = new SpoolReader(this.#folder);
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) {
      for (const record of batch) this.#remember(record);
    }
    return reader;
  }

  #cutTornTail(segment: number): void {
    const torn = Buffer.alloc(fstatSync(this.#file).size - this.#size);
    readSync(this.#file, torn, 0, torn.length, this.#size);
    const damage = explainTornTail(torn, this.#lastSeq);
    if (damage !== null) throw new SpoolDamaged(segmentName(segment), this.#size, damage);
    ftruncateSync(this.#file, this.#size);
  }

  #roll(): void {
    this.sync();
    const next = openSync(join(this.#folder, segmentName(this.#lastSeq + 1)), "ax+", 0o600);
    closeSync(this.#file);
    this.#file = next;
    this.#size = 0;
    this.#write(encodeHeader());
  }

  /** All of it or, when the disk refuses, nothing. */
  #write(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }
}
