import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small disk that can be filled to the last byte. */
export class SmallDisk implements Disposable {
  // The path of a keeper's socket must be short.
  readonly folder = mkdtempSync(join(tmpdir(), "df-"));
  readonly #filler = join(this.folder, "filler");

  constructor(megabytes: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", this.folder]);
  }

  /** Fills the disk until the result is disposed. */
  fill(): Disposable {
    const file = openSync(this.#filler, "w");
    try {
      for (const piece = Buffer.alloc(4096); ;) writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      fsyncSync(file);
      closeSync(file);
    }
    return { [Symbol.dispose]: () => rmSync(this.#filler) };
  }

  get isFull(): boolean {
    return statfsSync(this.folder).bavail === 0;
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["-l", this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
