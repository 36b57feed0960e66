import type { Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { Runtime } from "@fairlead/runtime";

/** The message that continues a turn after the reset of a quota. */
const continueText = "Continue. You were cut off because a quota was used up, and it is available again.";

/** What tells who has a session. */
export interface OwnerLookup {
  readonly catalog: Pick<Runtime["catalog"], "readTail">;
  readonly engine: { readonly hosts: Pick<Hosts, "isElsewhere" | "poolOf"> };
}

/**
 * Continues a session after the reset of a quota. A turn that the quota has cut off is continued by a message. Does nothing for a
 * session that moved to another host of a fleet: what this host has of it is old, and to continue it would take it away.
 */
export async function wakeParkedSession(
  fairlead: Pick<Fairlead, "session" | "resume" | "send">,
  { catalog, engine: { hosts } }: OwnerLookup,
  session: string,
  until: string,
  closing: AbortSignal,
): Promise<void> {
  const view = await fairlead.session(session).catch((error: unknown) => {
    if (FairleadError.is(error, "session-not-found")) return null; // a person deleted it
    throw error;
  });
  if (view === null) return;
  const { state, pausedUntil, lastOutcome } = view;
  if (state !== "paused" || pausedUntil !== until) return;
  const { owner } = await catalog.readTail(session);
  // Without a fleet, an owner is elsewhere if this machine had another name then.
  const hasMoved = hosts.poolOf(owner) !== undefined && hosts.isElsewhere(owner);
  if (hasMoved || closing.aborted) return;
  const key = `quota-${session}-${until}`;
  if (lastOutcome === "completed" || lastOutcome === null) await fairlead.resume(session, {}, { key });
  else await fairlead.send(session, continueText, { key });
}
