import type { DiskFile } from "./disk.ts";

/** A disk writes a sector completely or not at all. */
const sectorBytes = 512;
const chunkBytes = 256 * 1024;

/**
 * Whether a loss of power took the record at `start`. Some file systems then keep the new length of a file but not the
 * last written bytes: the file has only zeros up to its end, from `start` or from a sector boundary within the record.
 */
export function isZeroFilledTail(file: DiskFile, start: number): boolean {
  const { size } = file;
  const zerosStart = findZerosStart(file, start, size);
  if (zerosStart === start) return size > start;
  const recordEnd = size - start < 4 ? size : start + 8 + file.read(start, 4).readUInt32LE();
  return Math.ceil(zerosStart / sectorBytes) * sectorBytes < Math.min(size, recordEnd);
}

function findZerosStart(file: DiskFile, start: number, size: number): number {
  for (let end = size; end > start;) {
    const from = Math.max(start, end - chunkBytes);
    const last = file.read(from, end - from).findLastIndex((byte) => byte !== 0);
    if (last !== -1) return from + last + 1;
    end = from;
  }
  return start;
}
