import { FairleadError } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { Claim, Journal, LogTail } from "@fairlead/journal";
import { claimAfterTail } from "./claim-after-tail.ts";

/** A process that claims sessions. */
export interface ClaimingOwner {
  readonly journal: Journal;
  readonly hosts: Pick<Hosts, "isElsewhere">;
  readonly owner: string;
}

/**
 * Throws `fenced` if another host has a session: it may drive the session now, and what this host has of it is old. Only an
 * arrival takes it from there.
 */
export async function assertHere(
  { journal, hosts }: Pick<ClaimingOwner, "journal" | "hosts">,
  session: string,
): Promise<LogTail> {
  const tail = await journal.tail(session);
  if (tail.epoch > 0 && hosts.isElsewhere(tail.owner))
    throw new FairleadError("fenced", `Session ${session} is on another host now.`);
  return tail;
}

/**
 * Claims a session whose folder is here. Throws `fenced` if another host has it.
 */
export async function claimHere({ journal, hosts, owner }: ClaimingOwner, session: string): Promise<Claim> {
  // On one machine, all processes have the same folder.
  if (!journal.carriesNotes) return await journal.claim(session, owner);
  for (;;) {
    const tail = await assertHere({ journal, hosts }, session);
    try {
      return await claimAfterTail(journal, session, tail, owner);
    } catch (error) {
      if (!FairleadError.is(error, "fenced")) throw error;
    }
  }
}
