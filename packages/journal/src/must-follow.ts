import { FairleadError } from "@fairlead/contract";
import type { Fence, Frame, Tail } from "./event-log.ts";

/**
 * The rule of every engine for what may be written next. The fence must be the tail's, the numbers must go on without
 * a gap, and the epoch must be the tail's; only a claim, which has no events, begins the next one.
 */
export function mustFollow(tail: Tail, frame: Frame, fence: Fence): void {
  const epoch = frame.events.length === 0 ? tail.epoch + 1 : tail.epoch;
  if (frame.epoch !== epoch || epoch === 0) {
    refuse(tail, frame, `it has epoch ${frame.epoch}, and the log is at ${tail.epoch}`);
  }
  if (fence !== tail.fence) refuse(tail, frame, "somebody else has written since");
  if (frame.first !== tail.last + 1) refuse(tail, frame, `the next event is ${tail.last + 1}`);
}

function refuse(tail: Tail, frame: Frame, reason: string): never {
  const owner = tail.owner === "" ? "nobody" : tail.owner;
  throw new FairleadError(
    "fenced",
    `${frame.owner} may not write event ${frame.first} of session ${frame.session}: ${reason} (owner: ${owner})`,
  );
}
