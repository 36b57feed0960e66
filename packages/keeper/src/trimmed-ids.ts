import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "./disk.ts";
import { SpoolDamaged } from "./spool-damaged.ts";

/** What one trimming took away, and must still be known. */
export interface Trimming {
  /** All records up to this one were to go. */
  readonly upTo: number;
  readonly lastProcess: number;
  /** The ids of frames, each with the record it had led to. */
  readonly ids: readonly (readonly [id: string, seq: number])[];
}

const name = "ids";

/**
 * The memory of what was trimmed from a spool: a file with a line for each trimming, its checksum in front. A line holds
 * before the first record of its trimming goes; so whatever is not whole at the end belongs to one that never happened.
 */
export class TrimmedIds {
  readonly #disk: Disk;
  readonly #path: string;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#path = join(folder, name);
  }

  read(): Trimming[] {
    return this.#readLines().trimmings;
  }

  /** Returns when it holds against a loss of power; if it throws, nothing has been added. */
  add(trimming: Trimming): void {
    const { end } = this.#readLines();
    using file = this.#disk.append(this.#path);
    file.truncate(end);
    const text = JSON.stringify(trimming);
    file.append(Buffer.from(`${checksum(text)} ${text}\n`));
    file.sync();
  }

  #readLines(): { readonly trimmings: Trimming[]; readonly end: number } {
    using file = this.#disk.read(this.#path);
    const bytes = file?.read(0, file.size) ?? Buffer.alloc(0);
    const trimmings: Trimming[] = [];
    let end = 0;
    for (let next = bytes.indexOf(10); next !== -1; next = bytes.indexOf(10, end)) {
      const line = bytes.toString("utf8", end, next);
      if (line.slice(0, 8) !== checksum(line.slice(9))) break;
      trimmings.push(JSON.parse(line.slice(9)) as Trimming);
      end = next + 1;
    }
    // The last line may be torn. One that is wrong though others follow is not.
    if (bytes.indexOf(10, bytes.indexOf(10, end) + 1) > end) throw new SpoolDamaged(name, end, "a checksum is wrong");
    return { trimmings, end };
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
