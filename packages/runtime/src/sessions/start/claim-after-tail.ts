import type { Claim, Journal, LogTail } from "@fairlead/journal";

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
