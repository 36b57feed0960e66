import {
  closeSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";

const fsyncAsync = promisify(fsync);

/**
 * The file system operations of a spool: few, and all synchronous but one, so that a simulation can inject any fault.
 */
export interface Disk {
  /** Creates a folder with access for its owner only, if it does not exist. */
  makeFolder(path: string): void;
  /** Lists the names in a folder. Returns an empty list if the folder does not exist. */
  list(folder: string): readonly string[];
  /** Opens a file for reading. Returns null if it does not exist. */
  read(path: string): DiskFile | null;
  /** Opens a file for appending. Creates it, with access for its owner only, if it does not exist. */
  append(path: string): WritableDiskFile;
  /** Removes a file if it exists. */
  remove(path: string): void;
}

export interface DiskFile extends Disposable {
  readonly size: number;
  /**
   * Reads from `offset`. Returns fewer than `length` bytes only at the end of the file. May use `into` as the buffer.
   */
  read(offset: number, length: number, into?: Buffer): Buffer;
  /** Returns when everything written, by any process, survives a loss of power. */
  sync(): void;
  /** Does the same without blocking, for a process with many files. The file must stay open until it resolves. */
  syncAsync(): Promise<void>;
}

export interface WritableDiskFile extends DiskFile {
  /** Writes at the end. If it throws, any part of the bytes may have been written. */
  append(bytes: Uint8Array): void;
  truncate(size: number): void;
}

export const realDisk: Disk = {
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  list: (folder) => orIfMissing(() => readdirSync(folder), []),
  read: (path) => orIfMissing(() => new RealFile(path, "r"), null),
  append: (path) => new RealFile(path, "a+"),
  remove: (path) => rmSync(path, { force: true }),
};

class RealFile implements WritableDiskFile {
  readonly #fd: number;

  constructor(path: string, flags: "r" | "a+") {
    this.#fd = openSync(path, flags, 0o600);
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  read(offset: number, length: number, into?: Buffer): Buffer {
    const size = Math.max(0, Math.min(length, this.size - offset));
    const buffer = into !== undefined && into.length >= size ? into.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    return buffer.subarray(0, readSync(this.#fd, buffer, 0, buffer.length, offset));
  }

  append(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length;) written += writeSync(this.#fd, bytes, written);
  }

  truncate(size: number): void {
    ftruncateSync(this.#fd, size);
  }

  sync(): void {
    fsyncSync(this.#fd);
  }

  async syncAsync(): Promise<void> {
    await fsyncAsync(this.#fd);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

function orIfMissing<T, U>(read: () => T, fallback: U): T | U {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return fallback;
    throw error;
  }
}
