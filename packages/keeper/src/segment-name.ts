import type { Disk } from "./disk.ts";

const pattern = /^(\d{12})\.spool$/;

/** A segment is named after its first record, so that its place is known without opening it. */
export function segmentName(firstSeq: number): string {
  return `${String(firstSeq).padStart(12, "0")}.spool`;
}

/** The first sequences of a spool's segments, in order. */
export function listSegments(disk: Disk, folder: string): number[] {
  return disk
    .list(folder)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}
