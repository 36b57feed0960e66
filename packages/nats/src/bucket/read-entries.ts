import type { Bucket } from "./bucket.ts";
import type { BucketEntry } from "./bucket-entry.ts";

const maxWalks = 16;
// A shorter range is not worth another walk, because each walk needs one request to see that it is done.
const minWalkLength = 8;

/**
 * Reads the entries of a range of sequences from the leader, in their order. Several walks share the range: with one, every
 * entry would cost a round trip.
 */
export async function readEntries(bucket: Bucket, first: number, last: number): Promise<BucketEntry[]> {
  const length = Math.max(minWalkLength, Math.ceil((last - first + 1) / maxWalks));
  const walks: Promise<BucketEntry[]>[] = [];
  for (let start = first; start <= last; start += length) {
    walks.push(walk(bucket, start, Math.min(start + length - 1, last)));
  }
  return (await Promise.all(walks)).flat();
}

async function walk(bucket: Bucket, first: number, last: number): Promise<BucketEntry[]> {
  const entries: BucketEntry[] = [];
  for (let sequence = first; sequence <= last;) {
    const entry = await bucket.readNext(sequence);
    if (entry === undefined || entry.revision > last) break;
    entries.push(entry);
    sequence = entry.revision + 1;
  }
  return entries;
}
