import type { DiskFile } from "./disk.ts";

/** What a disk writes whole or not at all. */
const sectorBytes = 512;
const chunkBytes = 256 * 1024;

/**
 * Whether the record that should stand at `start` was lost with the power: some file systems then keep the new length of
 * a file, but not what was last written. So there is nothing but zeros up to the end of the file, from `start` or from
 * the beginning of a sector inside the record.
 */
export function isLostToZeros(file: DiskFile, start: number): boolean {
  const { size } = file;
  const zerosFrom = startOfZeros(file, start, size);
  if (zerosFrom === start) return size > start;
  const claimedEnd = size - start < 4 ? size : start + 8 + file.read(start, 4).readUInt32LE();
  return Math.ceil(zerosFrom / sectorBytes) * sectorBytes < Math.min(size, claimedEnd);
}

function startOfZeros(file: DiskFile, start: number, size: number): number {
  for (let end = size; end > start;) {
    const from = Math.max(start, end - chunkBytes);
    const last = file.read(from, end - from).findLastIndex((byte) => byte !== 0);
    if (last !== -1) return from + last + 1;
    end = from;
  }
  return start;
}
