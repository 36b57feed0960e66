import type { HostInfo } from "@fairlead/engine";
import { z } from "zod";
import type { BucketEntry } from "../bucket/bucket-entry.ts";

/** What the bucket of hosts has about a host that has joined. Fields of newer versions are ignored. */
export const HostEntry = z.object({
  owner: z.string(),
  host: z.object({
    name: z.string(),
    pool: z.string().exactOptional(),
    capacity: z.number().exactOptional(),
    version: z.string().exactOptional(),
    absent: z.boolean().exactOptional(),
    draining: z.boolean().exactOptional(),
  }),
});
export type HostEntry = z.infer<typeof HostEntry> & { readonly host: HostInfo };

/** Returns the host of an entry, or undefined if it left, expired or never joined. */
export function readHostEntry(entry: BucketEntry | undefined): HostEntry | undefined {
  if (entry === undefined || entry.value === null) return undefined;
  try {
    return HostEntry.safeParse(JSON.parse(Buffer.from(entry.value).toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

export function encodeHostEntry(entry: HostEntry): Uint8Array {
  return Buffer.from(JSON.stringify(entry));
}
