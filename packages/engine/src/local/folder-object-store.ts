import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { createHash, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { ObjectStore } from "../object-store.ts";
import { encodeObjectHeader, readObject, readObjectKey } from "./object-file.ts";

const maxKeyLength = 1000;
const objectName = /^[0-9a-f]{64}$/;
/** A crash leaves a file with this ending. */
const unfinishedEnding = ".new";
/** An unfinished file that is younger may be one that another process writes now. */
const unfinishedLifetimeMs = 60 * 60 * 1000;

/**
 * Stores objects as files in one folder. A file is named by the SHA-256 digest of its key and begins with the key, because
 * no encoding of 1,000 characters fits into a file name, and file systems may ignore case or trailing dots. Listing reads
 * the beginning of every file, and leaves out a file whose beginning is damaged.
 */
export class FolderObjectStore implements ObjectStore {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder if there is none. Only this class may write to it. Removes what a crash left. */
  static async open(path: string): Promise<FolderObjectStore> {
    const folder = resolve(path); // without a slash at the end, which would follow a link
    return await withStorageErrors(folder, async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (!(await lstat(folder)).isDirectory()) throw new Error("it is a link, not a folder");
      await removeUnfinished(folder);
      return new FolderObjectStore(folder);
    });
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    const unfinished = `${path}.${randomUUID()}${unfinishedEnding}`;
    await withStorageErrors(this.#folder, async () => {
      try {
        await using file = await open(unfinished, "wx", 0o600);
        await file.writeFile(encodeObjectHeader(key, bytes));
        await file.writeFile(bytes);
        // Synced before the rename: after a power loss the name must not lead to a part of the object.
        await file.sync();
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true }); // its space may be what the disk lacks
        throw error;
      }
      await this.#syncFolder();
    });
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(key);
    return await withStorageErrors(this.#folder, () => readObject(path, key));
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const names = await withStorageErrors(this.#folder, () => readdir(this.#folder));
    const keys: Buffer[] = [];
    for (const name of names.filter((one) => objectName.test(one))) {
      const key = await withStorageErrors(this.#folder, () => readObjectKey(join(this.#folder, name)));
      if (key?.startsWith(prefix)) keys.push(Buffer.from(key));
    }
    for (const key of keys.toSorted((one, other) => one.compare(other))) yield key.toString();
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await withStorageErrors(this.#folder, async () => {
      await rm(path, { force: true });
      await this.#syncFolder();
    });
  }

  #pathOf(key: string): string {
    if (key.length === 0 || key.length > maxKeyLength || key.includes("\0") || !key.isWellFormed()) {
      const rule = `1 to ${maxKeyLength} characters without U+0000 and unpaired surrogates`;
      throw new FairleadError("invalid-request", `The key of an object must have ${rule}.`);
    }
    return join(this.#folder, createHash("sha256").update(key).digest("hex"));
  }

  /** Makes a new name, or the removal of one, durable. */
  async #syncFolder(): Promise<void> {
    await using folder = await open(this.#folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    await folder.sync();
  }
}

async function removeUnfinished(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(unfinishedEnding))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity })); // another process may have removed it
    if (Date.now() - mtimeMs > unfinishedLifetimeMs) await rm(path, { force: true });
  }
}

async function withStorageErrors<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (FairleadError.isInstance(error)) throw error;
    const advice = "Check that the disk has space and that this user may write there.";
    const message = `The object store in ${folder} failed: ${(error as Error).message}. ${advice}`;
    throw new FairleadError("unavailable", message, { cause: error });
  }
}
