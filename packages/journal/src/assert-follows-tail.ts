import { FairleadError } from "@fairlead/contract";
import type { Fence, EventBatch, LogTail } from "./event-log.ts";

/**
 * Throws `fenced` unless a batch may follow the tail. Every storage engine applies this rule. The fence must equal the
 * tail's fence. The first sequence must follow the tail's last one without a gap. The epoch must equal the tail's epoch;
 * only a claim, which has no events, starts the next epoch.
 */
export function assertFollowsTail(tail: LogTail, batch: EventBatch, fence: Fence): void {
  const expectedEpoch = batch.events.length === 0 ? tail.epoch + 1 : tail.epoch;
  if (batch.epoch !== expectedEpoch || expectedEpoch === 0) {
    throwFenced(tail, batch, `the batch has epoch ${batch.epoch}, the log is at epoch ${tail.epoch}`);
  }
  if (fence !== tail.fence) throwFenced(tail, batch, "another writer has appended since");
  if (batch.first !== tail.last + 1) throwFenced(tail, batch, `the next event must be ${tail.last + 1}`);
}

function throwFenced(tail: LogTail, batch: EventBatch, reason: string): never {
  const owner = tail.owner === "" ? "none" : tail.owner;
  throw new FairleadError(
    "fenced",
    `${batch.owner} cannot append event ${batch.first} to session ${batch.session}: ${reason} (owner: ${owner}).`,
  );
}
