import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromRecording } from "./recording.ts";
import type { Recital } from "./recitals.ts";

const ending = ".spool.jsonl";

/** The recordings in a folder: `<case>.spool.jsonl`, each with the `<case>.events.jsonl` that it must give. */
export function readRecordings(folder: URL): Recital[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .toSorted()
    .map((file) => {
      const name = file.slice(0, -ending.length);
      const events = fileURLToPath(new URL(`${name}.events.jsonl`, folder));
      if (!existsSync(events)) throw new Error(`${file} has no ${name}.events.jsonl beside it.`);
      const records = fromRecording(readFileSync(new URL(file, folder), "utf8"));
      return { name, records, expected: readFileSync(events, "utf8") };
    });
}
