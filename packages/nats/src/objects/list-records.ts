import { createInbox } from "@nats-io/transport-node";
import { readDirectBatch } from "../log/direct-batch.ts";
import type { StoredMessage } from "../log/stored-message.ts";
import type { StreamRequests } from "../queue/stream-requests.ts";
import type { ObjectLayout } from "./object-layout.ts";
import { decodeObjectRecord, type ObjectRecord } from "./object-record.ts";

export interface RecordListing {
  /** A pattern of the subjects of records. */
  readonly subject: string;
  /** Whether only the stream's leader is asked. Otherwise any replica answers for most records, which is faster. */
  readonly onlyLeader?: boolean;
}

/** The subjects of a stream that have messages, and the time of the server that answered. */
export interface SubjectSnapshot {
  readonly subjects: ReadonlySet<string>;
  readonly time: number;
}

interface StreamInfoPage {
  readonly ts: string;
  readonly total?: number;
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
}

const pageSize = 1_000;
const leaderConcurrency = 16;

/**
 * Returns the records that exist now. A record that is replaced meanwhile is returned in its new form, or in its old one. A
 * damaged record is left out.
 */
export async function listRecords(
  requests: StreamRequests,
  layout: ObjectLayout,
  { subject, onlyLeader = false }: RecordListing,
): Promise<ObjectRecord[]> {
  // The leader's list decides what exists. A record that is replaced while pages are read moves to the end of the stream, and
  // a replica that lags behind lacks the newest ones: both may be missing in the pages.
  const missing = new Set((await readSubjects(requests, layout.objects, subject)).subjects);
  const payloads: Uint8Array[] = [];
  const pages = onlyLeader ? [] : readPages(requests, layout, subject);
  for await (const message of pages) if (missing.delete(message.subject)) payloads.push(message.payload);
  const rest = missing.values();
  const readRest = async (): Promise<void> => {
    for (const one of rest) {
      const message = await requests.readLast(layout.objects, one);
      if (message !== undefined) payloads.push(message.payload);
    }
  };
  await Promise.all(Array.from({ length: leaderConcurrency }, readRest));
  return payloads.map((payload) => decodeObjectRecord(payload)).filter((record) => record !== undefined);
}

/** Yields the messages that match a pattern, as one replica or another has them. */
async function* readPages(
  requests: StreamRequests,
  layout: ObjectLayout,
  subject: string,
): AsyncGenerator<StoredMessage, void> {
  for (let sequence = 1; ;) {
    const request = { stream: layout.objects, subject, sequence, count: pageSize };
    const page = await requests.retry("list objects", async () => {
      return await readDirectBatch(requests.connection, { ...request, reply: createInbox() }, requests.closed);
    });
    const last = page.at(-1);
    yield* page;
    // The end, as the replica has it. The leader has the rest.
    if (last === undefined || page.length < pageSize) return;
    sequence = last.sequence + 1;
  }
}

/** Returns the subjects that match a pattern and have messages, as the stream's leader knows them at one time. */
export async function readSubjects(
  requests: StreamRequests,
  stream: string,
  pattern: string,
): Promise<SubjectSnapshot> {
  const subjects = new Set<string>();
  for (;;) {
    const query = { subjects_filter: pattern, offset: subjects.size };
    const info = await requests.call<StreamInfoPage>("list objects", `STREAM.INFO.${stream}`, query);
    const page = Object.keys(info.state.subjects ?? {});
    for (const one of page) subjects.add(one);
    // The server sends 100,000 at once.
    if (page.length === 0 || subjects.size >= (info.total ?? 0)) return { subjects, time: Date.parse(info.ts) };
  }
}
