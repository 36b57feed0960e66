import type { Bus, BusCall } from "@fairlead/engine";
import type { Session } from "@fairlead/runtime";
import type { LiveDelta } from "../live-delta.ts";

/**
 * Answers calls to a session on the bus and publishes its live output, as long as this host drives it. Resolves when it stops
 * to. Never rejects: what fails here is answered at the address of the host, and live output may have gaps.
 */
export async function serveSession(
  bus: Bus,
  session: Session,
  answer: (call: BusCall) => Promise<unknown>,
): Promise<void> {
  try {
    const server = await bus.serve(session.id, session.epoch, answer);
    try {
      await publishLiveOutput(bus, session);
    } finally {
      await session.finished;
      await server[Symbol.asyncDispose]();
    }
  } catch {
    // The engine is closed, or another host has taken the session over.
  }
}

/** Ends when this host stops to drive the session. Throws if another host takes it over. */
async function publishLiveOutput(bus: Bus, session: Session): Promise<void> {
  let after = session.lastSequence;
  const publish = (delta: LiveDelta): void => bus.publish(session.id, delta);
  for await (const one of session.stream(after)) {
    if ("sequence" in one) after = one.sequence;
    else publish({ ...one, after });
  }
}
