import { FairleadError, isOpen } from "@fairlead/contract";
import type { Session } from "@fairlead/runtime";

/** Resumes a paused session. Waits for a pause in progress first. */
export async function wakeSession(session: Session): Promise<void> {
  const { desiredState, ledger } = session.state;
  if (desiredState !== "pause" || ledger.over) return;
  if (!isOpen(ledger, "pause")) await waitForEvent(session, session.lastSequence, "session.paused");
  await session.resume().catch((error: unknown) => {
    // Another caller has resumed it meanwhile, or this process has when it took the session over.
    if (!FairleadError.is(error, "session-not-paused")) throw error;
  });
}

/** Resolves when an event of the type follows the sequence, when the session ends, or when this process releases it. */
export async function waitForEvent(
  session: Session,
  after: number,
  type: "session.paused" | "session.ended",
  signal?: AbortSignal,
): Promise<void> {
  for await (const one of session.stream(after, signal)) if ("body" in one && one.body.type === type) return;
}
