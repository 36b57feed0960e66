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

const fsyncAside = promisify(fsync);

/** What a spool asks of a file system: little, and each at once, so that it can be acted out with every fault. */
export interface Disk {
  /** Makes a folder, for its owner alone, unless it is there. */
  makeFolder(path: string): void;
  /** The names in a folder; none when it is not there. */
  list(folder: string): readonly string[];
  /** Opens a file; null if it is not there. */
  read(path: string): DiskFile | null;
  /** Opens a file, made if need be, for its owner alone, to write at its end. */
  append(path: string): WritableDiskFile;
  /** Removes a file, if it is there. */
  remove(path: string): void;
}

export interface DiskFile extends Disposable {
  readonly size: number;
  /** The bytes from `offset`: fewer than `length` only at the end of the file. They may lie in `into`, if it is large enough. */
  read(offset: number, length: number, into?: Buffer): Buffer;
  /** Returns when what was written holds against a loss of power, whoever wrote it. */
  sync(): void;
  /** The same beside other work, for who has many files to see to. The file stays open until then. */
  synced(): Promise<void>;
}

export interface WritableDiskFile extends DiskFile {
  /** Writes at the end. When it throws, any part of the bytes may have been written. */
  append(bytes: Uint8Array): void;
  truncate(size: number): void;
}

export const realDisk: Disk = {
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  list: (folder) => orIfAbsent(() => readdirSync(folder), []),
  read: (path) => orIfAbsent(() => new RealFile(path, "r"), null),
  append: (path) => new RealFile(path, "a+"),
  remove: (path) => rmSync(path, { force: true }),
};

class RealFile implements WritableDiskFile {
  readonly #file: number;

  constructor(path: string, flags: "r" | "a+") {
    this.#file = openSync(path, flags, 0o600);
  }

  get size(): number {
    return fstatSync(this.#file).size;
  }

  read(offset: number, length: number, into?: Buffer): Buffer {
    const size = Math.max(0, Math.min(length, this.size - offset));
    const piece = into !== undefined && into.length >= size ? into.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    return piece.subarray(0, readSync(this.#file, piece, 0, piece.length, offset));
  }

  append(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
  }

  truncate(size: number): void {
    ftruncateSync(this.#file, size);
  }

  sync(): void {
    fsyncSync(this.#file);
  }

  async synced(): Promise<void> {
    await fsyncAside(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

function orIfAbsent<T, U>(look: () => T, otherwise: U): T | U {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
