import { isOpen } from "@fairlead/contract";
import type { Session } from "@fairlead/runtime";

/** Takes a paused session up again, and one that is just being paused as soon as it is. */
export async function awaken(session: Session): Promise<void> {
  const { aim, ledger } = session.state;
  if (aim !== "pause" || ledger.over) return;
  if (!isOpen(ledger, "pause")) await eventOf(session, session.last, "session.paused");
  await session.resume();
}

/** Resolves when a session has told of something after a number, or has ended, or is let go of. */
export async function eventOf(
  session: Session,
  after: number,
  type: "session.paused" | "session.ended",
): Promise<void> {
  for await (const one of session.stream(after)) if ("body" in one && one.body.type === type) return;
}
