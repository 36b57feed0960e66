import { FairleadError } from "@fairlead/contract";
import type { Journal, LogTail } from "@fairlead/journal";
import { encodeWorkflowRecord } from "./run-records.ts";

/**
 * Appends a record to a log that every process may write to, wherever its end is. The fence orders the writers: one that
 * was overtaken tries again at the new end. `compose` gets the end of the log that the record follows. After an
 * unavailable log, a record may be there twice: readers must not mind.
 */
export async function appendToSharedLog(
  log: Journal,
  name: string,
  owner: string,
  compose: (tail: LogTail) => unknown,
): Promise<LogTail> {
  for (;;) {
    let tail = await log.tail(name);
    if (tail.epoch === 0) {
      await log.claim(name, owner);
      tail = await log.tail(name);
    }
    const events = [encodeWorkflowRecord(await compose(tail))];
    try {
      const fence = await log.append(
        { session: name, epoch: tail.epoch, first: tail.last + 1, events, owner },
        tail.fence,
      );
      return { epoch: tail.epoch, last: tail.last + 1, fence, owner };
    } catch (error) {
      if (!FairleadError.is(error, "fenced")) throw error;
    }
  }
}
