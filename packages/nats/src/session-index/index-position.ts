import type { LogPosition } from "@fairlead/journal";
import { z } from "zod";
import type { RevisedBucket } from "./revised-bucket.ts";

const StoredPosition = z.object({
  /** The version of the content up to which the position counts. */
  version: z.number(),
  /** How often a process of another version has replaced rows. */
  switches: z.number(),
  position: z.string().nullable(),
});
type StoredPosition = z.infer<typeof StoredPosition>;

const key = "position";

/**
 * The position of the log up to which the index has all rows of one version. When a process of another version replaces rows,
 * the position becomes that version's and is null, and a process that checked rows before can no longer write it.
 */
export class IndexPosition {
  readonly #bucket: RevisedBucket;
  readonly #version: number;
  /** The count of switches when this process last read the position. */
  #switches: number | undefined;

  constructor(bucket: RevisedBucket, version: number) {
    this.#bucket = bucket;
    this.#version = version;
  }

  async read(): Promise<LogPosition | null> {
    const { value } = await this.#bucket.read(key, decodePosition);
    this.#switches = value?.switches ?? 0;
    return value?.version === this.#version ? value.position : null;
  }

  async write(position: LogPosition): Promise<void> {
    await this.#bucket.update(key, {
      decode: decodePosition,
      change: ({ value }) => {
        const switches = value?.switches ?? 0;
        // Rows that this process has checked may have been replaced since by rows of another version.
        if (switches !== (this.#switches ?? switches)) return undefined;
        return encodePosition({ version: this.#version, switches, position });
      },
    });
  }

  /** Makes the position of another version invalid, before a row of that version is replaced. */
  async claimVersion(): Promise<void> {
    let found = 0;
    const { isChanged } = await this.#bucket.update(key, {
      decode: decodePosition,
      change: ({ value }) => {
        if (value?.version === this.#version) return undefined;
        found = value?.switches ?? 0;
        return encodePosition({ version: this.#version, switches: found + 1, position: null });
      },
    });
    // The rows that this process has checked are still there, because no other process has replaced rows since.
    if (isChanged && this.#switches === found) this.#switches = found + 1;
  }
}

function encodePosition(position: StoredPosition): Uint8Array {
  return Buffer.from(JSON.stringify(position));
}

function decodePosition(data: Uint8Array): StoredPosition | undefined {
  try {
    return StoredPosition.safeParse(JSON.parse(Buffer.from(data).toString())).data;
  } catch {
    return undefined;
  }
}
