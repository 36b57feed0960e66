import { z } from "zod";

/** The session accepted a message whose turn has not started. Its turn starts later, or `message.returned` follows. */
export const MessageQueued = z.strictObject({
  type: z.literal("message.queued"),
  /** The turn that the message becomes. */
  turn: z.string(),
  text: z.string(),
});

/** A queued message does not become a turn. The sender has to send it again, if it is still wanted. */
export const MessageReturned = z.strictObject({
  type: z.literal("message.returned"),
  turn: z.string(),
  text: z.string(),
  /** `stopped`: a command ended the session first. `ended`: the session ended in another way. `unconfirmed`: the agent's
   * process exited after it got the message and before it started the turn, so a second delivery could run it twice.
   * `failed`: the adapter could not process the message. */
  reason: z.enum(["stopped", "ended", "unconfirmed", "failed"]),
});
