import { type Disk, realDisk, type WritableDiskFile } from "./disk.ts";

/** A real disk that can be told to fail: then of what is appended only a part arrives. */
export class FaultyDisk implements Disk {
  /** The code of the error to fail with, or null. */
  failing: string | null = null;
  /** How much of what is appended still arrives when it fails. */
  arrives = 0.5;
  /** Whether cutting off fails as well. */
  cannotCut = false;
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
        file.append(this.failing === null ? bytes : bytes.subarray(0, Math.floor(bytes.length * this.arrives)));
        this.#fail();
      },
      truncate: (size) => {
        if (this.cannotCut) this.#fail();
        file.truncate(size);
      },
      sync: () => {
        this.#fail();
        file.sync();
      },
      synced: async () => {
        this.#fail();
        await file.synced();
      },
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  }

  remove(path: string): void {
    realDisk.remove(path);
  }

  #fail(): void {
    if (this.failing === null) return;
    this.failures++;
    throw Object.assign(new Error(`${this.failing}: made up`), { code: this.failing });
  }
}
