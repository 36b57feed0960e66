import type { OpenRecord } from "./job-record.ts";
import { endedHeader, type JobRecords, type StoredRecord } from "./job-records.ts";
import { untilAborted } from "./stream-requests.ts";

type Found = "open" | { readonly outcome: unknown };

// An announcement is lost if the leader of the stream dies between storing and announcing.
const maxUnannouncedMs = 10_000;

/**
 * Puts a job, unless its key has one, and waits for the outcome of the key's job. An abort throws the signal's reason; what was
 * begun until then continues.
 */
export async function waitForOutcome(records: JobRecords, job: OpenRecord, signal: AbortSignal): Promise<unknown> {
  const { requests, layout } = records;
  let wakeup = Promise.withResolvers<void>();
  const wake = (): void => wakeup.resolve();
  const stop = AbortSignal.any([signal, requests.closed]);
  const work = async (): Promise<unknown> => {
    for (let isPut = false; ;) {
      wakeup = Promise.withResolvers();
      const found: Found | undefined = isPut ? await findOutcome(records, job.key) : await putJob(records, job);
      isPut = found !== undefined;
      if (found === "open") await untilAborted(wakeup.promise, stop);
      else if (found !== undefined) return found.outcome;
    }
  };
  using resources = new DisposableStack();
  try {
    // Subscribed before the first read, so that no change is missed between them.
    const subscription = requests.connection.subscribe(layout.changeSubject(job.key), {
      callback: (error, message) => {
        if (error === null && message.headers?.has(endedHeader) === true) wake();
      },
    });
    resources.defer(() => subscription.unsubscribe());
    resources.defer(requests.onReconnect(wake));
    resources.adopt(setInterval(wake, maxUnannouncedMs), clearInterval);
    return await untilAborted(work(), stop);
  } catch (error) {
    signal.throwIfAborted();
    requests.assertOpen();
    throw error;
  }
}

/** Puts a job that has no record yet. Returns undefined if the record was removed meanwhile. */
async function putJob(records: JobRecords, job: OpenRecord): Promise<Found | undefined> {
  if (await createRecord(records, job, 0)) return "open";
  const stored = await records.read(job.key);
  if (stored?.record.state === "free") return (await createRecord(records, job, stored.revision)) ? "open" : undefined;
  // The process that created the record may have ended before it announced the job.
  if (stored?.record.state === "open" && stored.record.taken === undefined) await records.announce(stored.record);
  return toFound(stored);
}

async function createRecord(records: JobRecords, job: OpenRecord, expected: number): Promise<boolean> {
  if ((await records.write(job, expected)) === undefined) return false;
  await records.announce(job);
  return true;
}

async function findOutcome(records: JobRecords, key: string): Promise<Found | undefined> {
  return toFound(await records.read(key));
}

function toFound(stored: StoredRecord | undefined): Found | undefined {
  if (stored === undefined || stored.record.state === "free") return undefined;
  return stored.record.state === "ended" ? { outcome: stored.record.outcome } : "open";
}
