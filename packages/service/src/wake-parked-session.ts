import type { Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

/** The message that continues a turn after the reset of a quota. */
const continueText = "Continue. You were cut off because a quota was used up, and it is available again.";

/** Continues a session after the reset of a quota. A turn that the quota has cut off is continued by a message. */
export async function wakeParkedSession(
  fairlead: Pick<Fairlead, "session" | "resume" | "send">,
  session: string,
  until: string,
  isClosing: () => boolean,
): Promise<void> {
  const view = await fairlead.session(session).catch((error: unknown) => {
    if (FairleadError.is(error, "session-not-found")) return null; // a person deleted it
    throw error;
  });
  if (view === null) return;
  const { state, pausedUntil, lastOutcome } = view;
  if (isClosing() || state !== "paused" || pausedUntil !== until) return;
  const key = `quota-${session}-${until}`;
  if (lastOutcome === "completed" || lastOutcome === null) await fairlead.resume(session, {}, { key });
  else await fairlead.send(session, continueText, { key });
}
