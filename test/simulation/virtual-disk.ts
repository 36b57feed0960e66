import type { Disk, WritableDiskFile } from "@fairlead/keeper";
import type { SeededRandom } from "./seeded-random.ts";

interface StoredFile {
  bytes: Buffer;
  /** How many bytes survive a loss of power. */
  synced: number;
}

interface DiskUser {
  readonly isAlive: boolean;
}

export type DiskFailure = "ENOSPC" | "EIO";

const sectorBytes = 512;

/** A disk in memory that can be full, fail, and lose unsynced data with the power. */
export class VirtualDisk {
  readonly #files = new Map<string, StoredFile>();
  /** Removed files. Only the invariants read them. */
  readonly #removed = new Map<string, StoredFile>();
  readonly #random: SeededRandom;
  #failure: DiskFailure | null = null;
  /** The space on a full disk that removed files have freed. */
  #freeBytes = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get failure(): DiskFailure | null {
    return this.#failure;
  }

  set failure(failure: DiskFailure | null) {
    this.#failure = failure;
    this.#freeBytes = 0;
  }

  /** Returns the disk as one process sees it. Writes of a process that has ended have no effect. */
  mount(process: DiskUser): Disk {
    return {
      ...this.#readable(this.#files, process),
      append: (path) => {
        const stored = this.#files.get(path) ?? { bytes: Buffer.alloc(0), synced: 0 };
        if (process.isAlive) this.#files.set(path, stored);
        return this.#open(stored, process);
      },
      remove: (path) => {
        if (!process.isAlive) return;
        const stored = this.#files.get(path);
        if (stored === undefined) return;
        this.#freeBytes += stored.bytes.length;
        this.#removed.set(path, stored);
        this.#files.delete(path);
      },
    };
  }

  /** A read-only view of the disk that includes all removed files. */
  get withRemovedFiles(): Disk {
    const all = new Map([...this.#removed, ...this.#files]);
    return { ...this.#readable(all, { isAlive: false }), append: readOnly, remove: readOnly };
  }

  /** The number of files removed so far. */
  get removals(): number {
    return this.#removed.size;
  }

  /** Each file keeps a random part of its unsynced bytes, or keeps its length with zeros instead of the rest. */
  losePower(): void {
    for (const stored of this.#files.values()) {
      const { bytes, synced } = stored;
      const keptBytes = this.#random.between(synced, bytes.length);
      const sector = Math.ceil(keptBytes / sectorBytes) * sectorBytes;
      const isZeroed = sector < bytes.length && this.#random.happens(0.3);
      stored.bytes = isZeroed
        ? Buffer.concat([bytes.subarray(0, sector), Buffer.alloc(bytes.length - sector)])
        : Buffer.from(bytes.subarray(0, keptBytes));
      stored.synced = stored.bytes.length;
    }
    this.failure = null;
  }

  #readable(files: ReadonlyMap<string, StoredFile>, process: DiskUser): Pick<Disk, "makeFolder" | "list" | "read"> {
    return {
      makeFolder: () => {},
      list: (folder) =>
        [...files.keys()].flatMap((path) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [])),
      read: (path) => {
        const stored = files.get(path);
        return stored === undefined ? null : this.#open(stored, process);
      },
    };
  }

  #open(stored: StoredFile, process: DiskUser): WritableDiskFile {
    const sync = (): void => {
      if (!process.isAlive) return;
      if (this.failure === "EIO") this.#fail();
      stored.synced = stored.bytes.length;
    };
    return {
      get size() {
        return stored.bytes.length;
      },
      // A copy, as from a real file: bytes that were read must not change when the file does.
      read: (offset, length) => Buffer.from(stored.bytes.subarray(offset, offset + length)),
      append: (bytes) => {
        if (!process.isAlive) return;
        const fits = this.#failure === null || (this.#failure === "ENOSPC" && this.#freeBytes >= bytes.length);
        const writtenBytes = fits ? bytes.length : this.#random.between(0, bytes.length - 1);
        stored.bytes = Buffer.concat([stored.bytes, bytes.subarray(0, writtenBytes)]);
        this.#freeBytes -= writtenBytes;
        if (!fits) this.#fail();
      },
      truncate: (size) => {
        if (!process.isAlive) return;
        if (this.failure === "EIO" && this.#random.happens(0.5)) this.#fail();
        stored.bytes = stored.bytes.subarray(0, size);
        stored.synced = Math.min(stored.synced, size);
      },
      sync,
      syncAsync: async () => sync(),
      [Symbol.dispose]: () => {},
    };
  }

  #fail(): never {
    throw Object.assign(new Error(`${this.#failure}: injected by the simulation`), { code: this.#failure });
  }
}

function readOnly(): never {
  throw new Error("This view of the disk is read-only.");
}

/** Whether an error is a temporary disk failure. */
export function isDiskFailure(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EIO" || error.code === "ENOSPC");
}
