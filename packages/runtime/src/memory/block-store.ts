import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { ObjectStore } from "@fairlead/engine";
import { blockBytes, damagedMemory, memoryPrefix } from "./stored-memory.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Stores the blocks of a session's memory, compressed. A block never changes: its name is the epoch of the owner that stored it,
 * and the digest of its content. With the epoch, a removal by an earlier owner that arrives late removes no block of a later
 * owner that has the same content.
 */
export class BlockStore {
  readonly #objects: ObjectStore;
  readonly #prefix: string;

  constructor(objects: ObjectStore, session: string) {
    this.#objects = objects;
    this.#prefix = memoryPrefix(session);
  }

  async put(name: string, block: Uint8Array): Promise<void> {
    await this.#objects.put(this.#prefix + name, await compress(block));
  }

  /** Throws `corrupt` if the block is missing, or is not the one that was stored. */
  async get(name: string): Promise<Uint8Array> {
    const stored = await this.#objects.get(this.#prefix + name);
    if (stored === undefined) throw damagedMemory("a block is missing");
    const block = await decompress(stored, { maxOutputLength: blockBytes }).catch((cause: unknown) => {
      throw damagedMemory("a block cannot be decompressed", { cause });
    });
    if (digestBlock(block) !== digestOf(name)) throw damagedMemory("a block has another digest");
    return block;
  }

  async remove(name: string): Promise<void> {
    await this.#objects.remove(this.#prefix + name);
  }

  /** Returns the names of all blocks, whichever owner stored them. */
  async list(): Promise<Set<string>> {
    const keys = await Array.fromAsync(this.#objects.list(this.#prefix));
    return new Set(keys.map((key) => key.slice(this.#prefix.length)));
  }
}

export function nameBlock(epoch: number, digest: string): string {
  return `${epoch}/${digest}`;
}

/** Returns the digest in the name of a block. */
export function digestOf(name: string | undefined): string | undefined {
  return name?.slice(name.indexOf("/") + 1);
}

export function digestBlock(block: Uint8Array): string {
  return createHash("sha256").update(block).digest("hex");
}
