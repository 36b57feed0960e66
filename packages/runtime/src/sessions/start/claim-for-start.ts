import { FairleadError } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { Claim, Fence, Journal } from "@fairlead/journal";
import { realClock, sleep } from "../../actor/clock.ts";
import { claimAfterTail } from "./claim-after-tail.ts";
import { claimHere } from "./claim-here.ts";

/**
 * Milliseconds that a start waits for another process that is starting the same session, or removing a failed start of
 * it. Much longer than the other process needs from its claim until it has moved the session's folder.
 */
const otherOwnerTimeout = 5000;
const pollInterval = 50;

/** The process that starts sessions. */
interface StartOwner {
  readonly journal: Journal;
  readonly hosts: Pick<Hosts, "isAlive" | "isElsewhere">;
  readonly owner: string;
}

/**
 * Claims a session that is about to be started. As long as a session has no events, its claim is also the right to create
 * and to remove its folder: another process that has it and runs may be removing the folder just now. The start waits for
 * that process, and takes the session over if nothing changes.
 */
export async function claimForStart(
  { journal, hosts, owner }: StartOwner,
  session: string,
  closing: AbortSignal,
): Promise<Claim> {
  let awaitedFence: Fence | undefined;
  let deadline = 0;
  for (;;) {
    const tail = await journal.tail(session);
    if (tail.last > 0) return await claimHere({ journal, hosts, owner }, session);
    const isOwnedByOther = tail.epoch > 0 && tail.owner !== owner && (await hosts.isAlive(tail.owner));
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
