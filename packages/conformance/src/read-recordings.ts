import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseRecording } from "./recording.ts";
import type { Recording } from "./replay-checks.ts";

const recordingSuffix = ".spool.jsonl";

/**
 * Reads the recordings in a folder: each `<case>.spool.jsonl` with the expected events in `<case>.events.jsonl`. A new
 * adapter has no recordings and no folder yet.
 */
export function readRecordings(folder: URL): Recording[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(recordingSuffix))
    .toSorted()
    .map((file) => {
      const name = file.slice(0, -recordingSuffix.length);
      const eventsFile = fileURLToPath(new URL(`${name}.events.jsonl`, folder));
      if (!existsSync(eventsFile))
        throw new Error(`${file} cannot be checked: ${name}.events.jsonl is missing in the same folder.`);
      const records = parseRecording(readFileSync(new URL(file, folder), "utf8"));
      return { name, records, expected: readFileSync(eventsFile, "utf8") };
    });
}
