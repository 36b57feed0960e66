import { FairleadError } from "@fairlead/contract";
import { z } from "zod";

/** The size of all blocks but the last one of a file. A save stores the last block again each time. */
export const blockBytes = 512 * 1024;
/** As for a fingerprint of a transcript: a larger memory is not stored. */
export const maxMemoryBytes = 256 * 1024 ** 2;
/** A memory of more files is not stored: each costs a call of the system at every save. */
export const maxMemoryFiles = 1000;

const StoredFile = z.strictObject({
  /** Relative to the folder of the memory, with `/` between names. */
  path: z.string(),
  size: z.int().nonnegative(),
  /** When the file last changed, in milliseconds by the clock of its machine. A save does not read a file that has not. */
  changedAt: z.number(),
  /** The names of its blocks: the epoch of the owner that stored it, and its SHA-256 digest in hexadecimal. */
  blocks: z.array(z.string().regex(/^\d+\/[0-9a-f]{64}$/)),
});
export type StoredFile = z.infer<typeof StoredFile>;

/** What the object store has of an agent's memory of a conversation. Plain JSON, with about 70 characters for each block. */
export const StoredMemory = z.strictObject({
  /**
   * `absent`: the agent has written nothing yet. `too-large`: it has written too much. `needs-others`: its files are of no use
   * without those of another conversation.
   */
  outcome: z.enum(["stored", "absent", "too-large", "needs-others"]),
  /** Empty unless the outcome is `stored`. */
  files: z.array(StoredFile),
});
export type StoredMemory = z.infer<typeof StoredMemory>;

/** Returns what the keys of a session's blocks begin with. */
export function memoryPrefix(session: string): string {
  return `memory/${encodeURIComponent(session)}/`;
}

/** Returns the names of all blocks. */
export function listBlocks(stored: StoredMemory | null): Set<string> {
  return new Set(stored?.files.flatMap(({ blocks }) => blocks));
}

export function damagedMemory(reason: string, options?: ErrorOptions): FairleadError {
  return new FairleadError("corrupt", `The stored memory of the agent is damaged: ${reason}.`, options);
}
