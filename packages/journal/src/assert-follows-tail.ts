import { FairleadError } from "@fairlead/contract";
import { isClaim, type EventBatch, type Fence, type LogTail } from "./event-log.ts";

/**
 * Throws `fenced` unless a batch may follow the tail. Every storage engine applies this rule. The fence must equal the
 * tail's fence. The first sequence must follow the tail's last one without a gap. The epoch must equal the tail's epoch;
 * only a claim starts the next epoch.
 */
export function assertFollowsTail(tail: LogTail, batch: EventBatch, fence: Fence): void {
  const expectedEpoch = isClaim(batch) ? tail.epoch + 1 : tail.epoch;
  if (batch.epoch !== expectedEpoch || expectedEpoch === 0) {
    throwFenced(batch, `the batch has epoch ${batch.epoch}, the log is at epoch ${tail.epoch}`);
  }
  if (fence !== tail.fence) throwFenced(batch, "another writer has appended since");
  if (batch.first !== tail.last + 1) throwFenced(batch, `the next event must be ${tail.last + 1}`);
}

/** The message names no owner: people read it, and an owner is JSON. */
function throwFenced({ first, session }: EventBatch, reason: string): never {
  throw new FairleadError("fenced", `Event ${first} cannot be appended to session ${session}: ${reason}.`);
}
