import type { Disk } from "./disk.ts";

const reserveBytes = 64 * 1024;

/** A file that only takes up room, so that there is some when the disk is full and something has to be written. */
export class Reserve {
  readonly #disk: Disk;
  readonly #path: string;
  #isFilled = false;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** Takes up the room, if there is any. */
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

  /** Gives the room back. False when there was none. */
  release(): boolean {
    const wasFilled = this.#isFilled;
    this.#isFilled = false;
    this.#disk.remove(this.#path);
    return wasFilled;
  }
}
