import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { WalSum } from "./wal-sum.ts";

// See https://www.sqlite.org/walformat.html#the_wal_index_file_format: numbers are as this machine writes them.
const size = 136;
const copy = 48;
const little = endianness() === "LE";

/** What SQLite's processes told each other about the write-ahead log, in shared memory that a crash leaves behind. */
export interface WalIndex {
  /** How many frames of the log had been committed, and so had reached the disk before anybody was told. */
  readonly committed: number;
  /** How many of them the database itself has by now, also on the disk. */
  readonly inDatabase: number;
  /** How many of them somebody had begun to copy into the database. */
  readonly begun: number;
  /** Those of the log that it speaks of. */
  readonly salts: readonly [number, number];
}

/**
 * Reads the index; nothing when there is none that is whole. Only for who knows that no connection in this process has
 * it open: to close it would drop SQLite's locks on it.
 */
export function readWalIndex(file: string): WalIndex | undefined {
  const bytes = readOrNothing(file);
  if (bytes === undefined || bytes.byteLength < size) return undefined;
  // It stands there twice, since it is written without a lock.
  if (!bytes.subarray(0, copy).equals(bytes.subarray(copy, 2 * copy))) return undefined;
  const view = new DataView(Uint8Array.from(bytes.subarray(0, size)).buffer);
  const number = (at: number) => view.getUint32(at, little);
  const sum = new WalSum(little);
  sum.add(view, 0, 40);
  if (view.getUint8(12) !== 1 || !sum.is(number(40), number(44))) return undefined;
  const salts = [view.getUint32(32), view.getUint32(36)] as const;
  return { committed: number(16), salts, inDatabase: number(96), begun: number(128) };
}

function readOrNothing(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
