import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { WalChecksum } from "./wal-checksum.ts";

// See https://www.sqlite.org/walformat.html#the_wal_index_file_format: numbers are in the host's byte order.
const indexHeaderBytes = 136;
const headerCopyBytes = 48;
const isLittleEndianHost = endianness() === "LE";

/** SQLite's index of the write-ahead log. All its processes share it in a mapped file, which a crash leaves behind. */
export interface WalIndex {
  /** The number of committed log frames. They were on disk before any append resolved. */
  readonly committedFrames: number;
  /** The number of them that were copied into the database and synced. */
  readonly backfilledFrames: number;
  /** The number of them that a process had started to copy into the database. */
  readonly backfillAttemptedFrames: number;
  /** The salts of the log that the index describes. */
  readonly salts: readonly [number, number];
}

/**
 * Reads the index. Returns undefined when it is missing or damaged. No connection in this process may have it open:
 * closing the file would drop SQLite's locks on it.
 */
export function readWalIndex(file: string): WalIndex | undefined {
  const bytes = tryReadFile(file);
  if (bytes === undefined || bytes.byteLength < indexHeaderBytes) return undefined;
  // SQLite writes the header without a lock, so it stores two copies. They differ after an interrupted write.
  if (!bytes.subarray(0, headerCopyBytes).equals(bytes.subarray(headerCopyBytes, 2 * headerCopyBytes)))
    return undefined;
  const view = new DataView(Uint8Array.from(bytes.subarray(0, indexHeaderBytes)).buffer);
  const readUint32 = (offset: number) => view.getUint32(offset, isLittleEndianHost);
  const checksum = new WalChecksum(isLittleEndianHost);
  checksum.add(view, 0, 40);
  if (view.getUint8(12) !== 1 || !checksum.matches(readUint32(40), readUint32(44))) return undefined;
  const salts = [view.getUint32(32), view.getUint32(36)] as const;
  return {
    committedFrames: readUint32(16),
    salts,
    backfilledFrames: readUint32(96),
    backfillAttemptedFrames: readUint32(128),
  };
}

function tryReadFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
