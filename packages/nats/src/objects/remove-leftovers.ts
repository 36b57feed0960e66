import { randomUUID } from "node:crypto";
import { replaceMessage } from "../queue/replace-message.ts";
import type { StreamRequests } from "../queue/stream-requests.ts";
import type { ChunkStore } from "./chunk-store.ts";
import { listRecords, readSubjects } from "./list-records.ts";
import type { ObjectLayout } from "./object-layout.ts";

/** The time after which chunks without a record are those of a process that ended. A `put` takes less, or begins again. */
export const leftoverAgeMs = 2 * 60 * 60 * 1000;
/** How often one of all processes looks for leftovers. */
const sweepIntervalMs = 6 * 60 * 60 * 1000;

export interface LeftoverSearch {
  readonly requests: StreamRequests;
  readonly layout: ObjectLayout;
  readonly chunks: ChunkStore;
}

/** Returns whether this process is the one that looks for leftovers now. */
export async function claimSweep({ requests, layout }: LeftoverSearch): Promise<boolean> {
  const subject = layout.sweepSubject;
  const last = await requests.readLast(layout.objects, subject);
  const { time } = await readSubjects(requests, layout.objects, subject);
  // Both times are those of servers: the clocks of hosts do not matter.
  if (last !== undefined && time - last.storedAt < sweepIntervalMs) return false;
  const id = Buffer.from(randomUUID());
  const claim = await replaceMessage(requests, "look for leftovers", {
    stream: layout.objects,
    subject,
    payload: id,
    expected: last?.sequence ?? 0,
    isOwn: ({ payload }) => id.equals(payload),
  });
  return claim !== undefined;
}

/**
 * Removes chunks that belong to no record and are old enough. Returns the number of objects to which they belonged. If some
 * cannot be removed, removes the others and then throws.
 */
export async function removeLeftovers(search: LeftoverSearch, minimumAgeMs: number): Promise<number> {
  const { requests, layout, chunks } = search;
  // Before the records: chunks are stored before the record that names them.
  const { subjects, time } = await readSubjects(requests, layout.chunks, layout.allChunks);
  const subject = layout.recordsWithPrefix("");
  const unnamed = new Set(Array.from(subjects, (one) => layout.idOfChunks(one)));
  for (const onlyLeader of [false, true]) {
    if (unnamed.size === 0) return 0;
    // What a replica says suffices to keep chunks. Only the leader may say that no record names them.
    for (const { id } of await listRecords(requests, layout, { subject, onlyLeader })) unnamed.delete(id);
    if (!onlyLeader) {
      for (const id of unnamed) {
        const last = await requests.readLast(layout.chunks, layout.chunkSubject(id));
        if (last === undefined || time - last.storedAt < minimumAgeMs) unnamed.delete(id);
      }
    }
  }
  const failures: unknown[] = [];
  for (const id of unnamed) await chunks.remove(id).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return unnamed.size;
}
