import { FairleadError, type ErrorCode } from "@fairlead/contract";
import type { FollowedSession } from "./followed-session.ts";

/** What the journal says about a message that was sent. */
export interface DeliveredMessage {
  readonly turn: string;
  /** Whether the message waits for other turns. If not, its turn has started. */
  readonly isQueued: boolean;
}

/** Sends a message, and returns when the journal says that its turn has started or waits. Throws if it does neither. */
export async function deliverMessage(session: FollowedSession, message: string): Promise<DeliveredMessage> {
  const { lastSequence } = session;
  const turn = await session.send(message);
  for await (const item of session.stream(lastSequence)) {
    if (session.hasStarted(turn)) return { turn, isQueued: false };
    if (session.isQueued(turn)) return { turn, isQueued: true };
    if (!("body" in item)) continue;
    const { body } = item;
    if (body.type === "session.ended") throw notDelivered("session-ended", `the session ended first (${body.reason})`);
    if (body.type === "message.returned" && body.turn === turn && body.reason === "unconfirmed")
      throw notDelivered("not-started", "the agent exited before it confirmed the message");
  }
  throw notDelivered("session-ended", "the session ended first");
}

function notDelivered(code: ErrorCode, reason: string): FairleadError {
  return new FairleadError(code, `The message was not delivered: ${reason}.`);
}
