import { readdirSync } from "node:fs";

const pattern = /^(\d{12})\.spool$/;

/** A segment is named after its first record, so that its place is known without opening it. */
export function segmentName(firstSeq: number): string {
  return `${String(firstSeq).padStart(12, "0")}.spool`;
}

/** The first sequences of a spool's segments, in order; none when the folder is not there yet. */
export function listSegments(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
