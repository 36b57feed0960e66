import type { StoredMessage } from "../log/stored-message.ts";
import { decodeJobRecord, encodeJobRecord, type JobRecord, type OpenRecord } from "./job-record.ts";
import type { QueueLayout } from "./queue-layout.ts";
import { replaceMessage } from "./replace-message.ts";
import type { StreamRequests } from "./stream-requests.ts";

/** A record, and what a compare-and-set expects. */
export interface StoredRecord {
  readonly record: JobRecord;
  readonly revision: number;
}

/** Marks the message that ends a job, so that callers that wait need not read the record at each change. */
export const endedHeader = "Fairlead-Ended";
/** One day more than callers may rely on. */
const outcomeLifetimeSeconds = 8 * 24 * 60 * 60;
const freeLifetimeSeconds = 60;

/** Reads and writes the records of keys. Each write is a compare-and-set. */
export class JobRecords {
  readonly requests: StreamRequests;
  readonly layout: QueueLayout;

  constructor(requests: StreamRequests, layout: QueueLayout) {
    this.requests = requests;
    this.layout = layout;
  }

  async read(key: string, signal?: AbortSignal): Promise<StoredRecord | undefined> {
    const message = await this.requests.readLast(this.layout.outcomes, this.layout.outcomeSubject(key), signal);
    return message === undefined ? undefined : { record: decodeJobRecord(message.payload), revision: message.sequence };
  }

  /** Writes the record of a key, if that has the expected revision. Returns the new revision, or undefined if it has not. */
  async write(record: JobRecord, expected: number): Promise<number | undefined> {
    const lifetime = { open: undefined, ended: outcomeLifetimeSeconds, free: freeLifetimeSeconds }[record.state];
    return await replaceMessage(this.requests, "store a job", {
      stream: this.layout.outcomes,
      subject: this.layout.outcomeSubject(record.key),
      payload: encodeJobRecord(record),
      expected,
      isOwn: (message) => isSameWrite(record, message),
      ...(lifetime !== undefined && { lifetimeSeconds: lifetime }),
      ...(record.state === "ended" && { marks: { [endedHeader]: "1" } }),
    });
  }

  /** Announces a job to the takers of its pool. A taker drops all announcements of a job but one. */
  async announce(record: OpenRecord): Promise<void> {
    const { requests, layout } = this;
    const subject = layout.jobSubject(record.pool);
    const payload = Buffer.from(JSON.stringify(record.key));
    await requests.retry("store a job", async () => {
      const outcome = await requests.storeOnce(subject, payload, { messageId: record.id });
      if (outcome.kind === "stored") return;
      if (outcome.kind === "unknown") throw outcome.reason;
      // The first announcement may not be stored safely yet. Once it is, it is in the stream until the job has ended.
      if ((await requests.readOnce(layout.jobs, { seq: outcome.sequence })) !== undefined) return;
      const last = await requests.readOnce(layout.outcomes, { last_by_subj: layout.outcomeSubject(record.key) });
      const stored = last === undefined ? undefined : decodeJobRecord(last.payload);
      if (stored?.state === "open" && stored.taken === undefined) throw new Error("the job is not stored yet");
    });
  }
}

/** Whether a stored message is the one that this record was sent in. */
function isSameWrite(record: JobRecord, message: StoredMessage): boolean {
  const stored = decodeJobRecord(message.payload);
  if (record.state === "ended") return stored.state === "ended" && stored.taker === record.taker;
  if (stored.state !== record.state || stored.id !== record.id) return false;
  return stored.state === "free" || stored.taken?.taker === (record as OpenRecord).taken?.taker;
}
