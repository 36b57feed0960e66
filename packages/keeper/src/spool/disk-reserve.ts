import type { Disk } from "./disk.ts";

const reserveBytes = 64 * 1024;

/** A file that reserves disk space. Removing it makes room for records that must be written when the disk is full. */
export class DiskReserve {
  readonly #disk: Disk;
  readonly #path: string;
  #isFilled = false;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** Writes the file if the disk has room for it. */
  fill(): void {
    if (this.#isFilled) return;
    this.#isFilled = true;
    try {
      using file = this.#disk.append(this.#path);
      file.append(Buffer.alloc(Math.max(0, reserveBytes - file.size), "reserve "));
    } catch {
      this.release();
    }
  }

  /** Removes the file. Returns false if the reserve was not filled. */
  release(): boolean {
    const wasFilled = this.#isFilled;
    this.#isFilled = false;
    this.#disk.remove(this.#path);
    return wasFilled;
  }
}
