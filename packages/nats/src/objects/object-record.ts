import { FairleadError } from "@fairlead/contract";
import { z } from "zod";

/** Where the bytes of a key's object are. */
export const ObjectRecord = z.object({
  key: z.string(),
  /** The random name of the object's chunks. */
  id: z.string(),
  size: z.number(),
  sha256: z.string(),
  /** The sequences of the chunks, in the order of the bytes. */
  chunks: z.array(z.number()),
});
export type ObjectRecord = z.infer<typeof ObjectRecord>;

/** Returns undefined if the record is damaged, or belongs to another key. */
export function decodeObjectRecord(bytes: Uint8Array, key?: string): ObjectRecord | undefined {
  try {
    const record = ObjectRecord.parse(JSON.parse(Buffer.from(bytes).toString()));
    return key === undefined || record.key === key ? record : undefined;
  } catch {
    return undefined;
  }
}

export function createCorruptObjectError(key: string, reason: string): FairleadError {
  const message = `The object "${key.slice(0, 40)}" cannot be read: ${reason}. Remove it to lose it.`;
  return new FairleadError("corrupt", message);
}
