import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

/** The end of a session whose journal can take no more events: a file in the session's folder. */
export const EndMarker = z.object({ endedAt: z.iso.datetime(), problem: z.string() });
export type EndMarker = z.infer<typeof EndMarker>;

/** Reads the marker. Returns null if the session has none that is valid. */
export function readEndMarker(file: string): EndMarker | null {
  try {
    return EndMarker.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Writes the marker. It is durable when this returns. */
export function writeEndMarker(file: string, marker: EndMarker): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fd = openSync(`${file}.new`, "w", 0o600);
  try {
    writeFileSync(fd, `${JSON.stringify(marker)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${file}.new`, file);
}
