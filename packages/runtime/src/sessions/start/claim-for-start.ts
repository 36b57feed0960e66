import { FairleadError } from "@fairlead/contract";
import type { Claim, Fence, Journal, LogTail } from "@fairlead/journal";
import { realClock, sleep } from "../../actor/clock.ts";
import { isOwnerAlive } from "../owner.ts";

/**
 * Milliseconds that a start waits for another process that is starting the same session, or removing a failed start of
 * it. Much longer than the other process needs from its claim until it has moved the session's folder.
 */
const otherOwnerTimeout = 5000;
const pollInterval = 50;

/** Claims a session, unless its log has changed since the tail was read. Throws `fenced` then. */
export async function claimAfterTail(
  journal: Journal,
  session: string,
  { epoch, last, fence }: LogTail,
  owner: string,
): Promise<Claim> {
  const batch = { session, epoch: epoch + 1, first: last + 1, events: [], owner };
  return { epoch: batch.epoch, last, fence: await journal.append(batch, fence) };
}

/**
 * Claims a session that is about to be started. As long as a session has no events, its claim is also the right to create
 * and to remove its folder: another process that has it and runs may be removing the folder just now. The start waits for
 * that process, and takes the session over if nothing changes.
 */
export async function claimForStart(
  journal: Journal,
  session: string,
  owner: string,
  closing: AbortSignal,
): Promise<Claim> {
  let awaitedFence: Fence | undefined;
  let deadline = 0;
  for (;;) {
    const tail = await journal.tail(session);
    if (tail.last > 0) return await journal.claim(session, owner);
    const isOwnedByOther = tail.epoch > 0 && tail.owner !== owner && isOwnerAlive(tail.owner);
    if (tail.fence !== awaitedFence) {
      awaitedFence = tail.fence;
      deadline = performance.now() + otherOwnerTimeout;
    }
    if (isOwnedByOther && performance.now() < deadline) {
      await sleep(realClock, pollInterval, closing);
      if (closing.aborted) throw new FairleadError("unavailable", "This process closes the data directory.");
      continue;
    }
    try {
      return await claimAfterTail(journal, session, tail, owner);
    } catch (error) {
      if (!FairleadError.is(error, "fenced")) throw error;
    }
  }
}
