import type { Bucket } from "../bucket/bucket.ts";
import type { BucketEntry } from "../bucket/bucket-entry.ts";
import { readEntries } from "../bucket/read-entries.ts";
import { readHostEntry } from "./host-entry.ts";
import { hostOfOwner } from "./host-owner.ts";

/** Lists the entries with which instances of a host have announced that they come back. */
export async function listAbsences(bucket: Bucket, hostId: string): Promise<readonly BucketEntry[]> {
  const { firstSequence, lastSequence } = await bucket.readState();
  const entries = await readEntries(bucket, firstSequence, lastSequence);
  return entries.filter((entry) => {
    const found = readHostEntry(entry);
    return found?.host.absent === true && hostOfOwner(found.owner) === hostId;
  });
}
