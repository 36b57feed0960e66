import type { Disk, WritableDiskFile } from "@fairlead/keeper";
import type { Chance } from "./chance-for-test.ts";

interface Stored {
  bytes: Buffer;
  /** How much of it holds against a loss of power. */
  synced: number;
}

interface Process {
  readonly alive: boolean;
}

export type DiskTrouble = "ENOSPC" | "EIO";

const sectorBytes = 512;

/** A disk in memory that can be full, fail, and lose its power. */
export class VirtualDisk {
  readonly #files = new Map<string, Stored>();
  /** What was removed: for those who want to know how it all was, and for nobody else. */
  readonly #removed = new Map<string, Stored>();
  readonly #chance: Chance;
  #trouble: DiskTrouble | null = null;
  /** What a full disk can still take, because something was removed. */
  #room = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  get trouble(): DiskTrouble | null {
    return this.#trouble;
  }

  set trouble(trouble: DiskTrouble | null) {
    this.#trouble = trouble;
    this.#room = 0;
  }

  /** The disk as one process has it, until that process is dead: then whatever it still does is not done. */
  mount(process: Process): Disk {
    return {
      ...this.#readable(this.#files, process),
      append: (path) => {
        const stored = this.#files.get(path) ?? { bytes: Buffer.alloc(0), synced: 0 };
        if (process.alive) this.#files.set(path, stored);
        return this.#open(stored, process);
      },
      remove: (path) => {
        if (!process.alive) return;
        const stored = this.#files.get(path);
        if (stored === undefined) return;
        this.#room += stored.bytes.length;
        this.#removed.set(path, stored);
        this.#files.delete(path);
      },
    };
  }

  /** The disk to read from, with all that was ever removed from it. */
  get everything(): Disk {
    const all = new Map([...this.#removed, ...this.#files]);
    return { ...this.#readable(all, { alive: false }), append: notHere, remove: notHere };
  }

  /** How many files were removed so far. */
  get removals(): number {
    return this.#removed.size;
  }

  /** Of what was not synced, each file keeps only a beginning; or its length, but zeros where the rest was. */
  losePower(): void {
    for (const stored of this.#files.values()) {
      const { bytes, synced } = stored;
      const kept = this.#chance.between(synced, bytes.length);
      const sector = Math.ceil(kept / sectorBytes) * sectorBytes;
      const zeroed = sector < bytes.length && this.#chance.happens(0.3);
      stored.bytes = zeroed
        ? Buffer.concat([bytes.subarray(0, sector), Buffer.alloc(bytes.length - sector)])
        : Buffer.from(bytes.subarray(0, kept));
      stored.synced = stored.bytes.length;
    }
    this.trouble = null;
  }

  #readable(files: ReadonlyMap<string, Stored>, process: Process): Pick<Disk, "makeFolder" | "list" | "read"> {
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

  #open(stored: Stored, process: Process): WritableDiskFile {
    const sync = (): void => {
      if (!process.alive) return;
      if (this.trouble === "EIO") this.#fail();
      stored.synced = stored.bytes.length;
    };
    return {
      get size() {
        return stored.bytes.length;
      },
      // A copy, as from a real file: what was read must not change when the file does.
      read: (offset, length) => Buffer.from(stored.bytes.subarray(offset, offset + length)),
      append: (bytes) => {
        if (!process.alive) return;
        const fits = this.#trouble === null || (this.#trouble === "ENOSPC" && this.#room >= bytes.length);
        const arrives = fits ? bytes.length : this.#chance.between(0, bytes.length - 1);
        stored.bytes = Buffer.concat([stored.bytes, bytes.subarray(0, arrives)]);
        this.#room -= arrives;
        if (!fits) this.#fail();
      },
      truncate: (size) => {
        if (!process.alive) return;
        if (this.trouble === "EIO" && this.#chance.happens(0.5)) this.#fail();
        stored.bytes = stored.bytes.subarray(0, size);
        stored.synced = Math.min(stored.synced, size);
      },
      sync,
      synced: async () => sync(),
      [Symbol.dispose]: () => {},
    };
  }

  #fail(): never {
    throw Object.assign(new Error(`${this.#trouble}: made up`), { code: this.#trouble });
  }
}

function notHere(): never {
  throw new Error("What is over cannot be written.");
}

/** Whether an error is one that a disk may have for a while. */
export function isDiskTrouble(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EIO" || error.code === "ENOSPC");
}
