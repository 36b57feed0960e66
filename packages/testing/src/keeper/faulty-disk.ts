import { type Disk, realDisk, type WritableDiskFile } from "../../../keeper/src/spool/disk.ts";

/** A real disk with faults that a test switches on. A failing append writes only a part of the bytes. */
export class FaultyDisk implements Disk {
  /** The error code of all failures, or null if the disk works. */
  errorCode: string | null = null;
  /** The part of the bytes that a failing append writes. */
  writtenFraction = 0.5;
  /** Whether `truncate` fails too. */
  truncateFails = false;
  failures = 0;

  makeFolder(path: string): void {
    realDisk.makeFolder(path);
  }

  list(folder: string): readonly string[] {
    return realDisk.list(folder);
  }

  read(path: string): ReturnType<Disk["read"]> {
    return realDisk.read(path);
  }

  append(path: string): WritableDiskFile {
    const file = realDisk.append(path);
    return {
      get size() {
        return file.size;
      },
      read: (offset, length) => file.read(offset, length),
      append: (bytes) => {
        file.append(
          this.errorCode === null ? bytes : bytes.subarray(0, Math.floor(bytes.length * this.writtenFraction)),
        );
        this.#failIfSet();
      },
      truncate: (size) => {
        if (this.truncateFails) this.#failIfSet();
        file.truncate(size);
      },
      sync: () => {
        this.#failIfSet();
        file.sync();
      },
      syncAsync: async () => {
        this.#failIfSet();
        await file.syncAsync();
      },
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  }

  remove(path: string): void {
    realDisk.remove(path);
  }

  #failIfSet(): void {
    if (this.errorCode === null) return;
    this.failures++;
    throw Object.assign(new Error(`${this.errorCode}: injected by a test`), { code: this.errorCode });
  }
}
