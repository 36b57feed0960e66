import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "./disk.ts";
import { SpoolDamaged } from "./spool-damaged.ts";

/** What must be remembered of the records that one trim removed. */
export interface TrimEntry {
  /** All records up to this one are removed. */
  readonly upTo: number;
  readonly lastProcess: number;
  /** The ids of requests, each with the sequence of its record. */
  readonly ids: readonly (readonly [id: string, seq: number])[];
}

const trimmedIdsFile = "ids";

/**
 * The request ids of trimmed records, so that a repeated request is still recognized. The file has one line per trim,
 * with a checksum in front. A line is synced before the trim removes the first record. So an incomplete last line
 * belongs to a trim that removed nothing.
 */
export class TrimmedIds {
  readonly #disk: Disk;
  readonly #path: string;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#path = join(folder, trimmedIdsFile);
  }

  read(): TrimEntry[] {
    return this.#readLines().entries;
  }

  /** Adds a line and syncs it. If it throws, the caller must not remove the records. */
  add(entry: TrimEntry): void {
    const { end } = this.#readLines();
    using file = this.#disk.append(this.#path);
    file.truncate(end);
    const text = JSON.stringify(entry);
    file.append(Buffer.from(`${checksum(text)} ${text}\n`));
    file.sync();
  }

  #readLines(): { readonly entries: TrimEntry[]; readonly end: number } {
    using file = this.#disk.read(this.#path);
    const bytes = file?.read(0, file.size) ?? Buffer.alloc(0);
    const entries: TrimEntry[] = [];
    let end = 0;
    for (let next = bytes.indexOf(10); next !== -1; next = bytes.indexOf(10, end)) {
      const line = bytes.toString("utf8", end, next);
      if (line.slice(0, 8) !== checksum(line.slice(9))) break;
      entries.push(JSON.parse(line.slice(9)) as TrimEntry);
      end = next + 1;
    }
    // The last line may be torn. A wrong line that others follow is damage.
    if (bytes.indexOf(10, bytes.indexOf(10, end) + 1) > end)
      throw new SpoolDamaged(trimmedIdsFile, end, "the checksum of a line is wrong");
    return { entries, end };
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
