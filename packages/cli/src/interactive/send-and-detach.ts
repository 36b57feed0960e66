import { FairleadError } from "@fairlead/contract";
import type { CliContext } from "../cli-context.ts";
import { cliExitCodes } from "../exit-codes.ts";
import { deliverMessage } from "./deliver-message.ts";
import type { FollowedSession } from "./followed-session.ts";

/**
 * Sends a message, if there is one, and returns once its turn has started or waits for others. Prints only the session's
 * id, for scripts.
 */
export async function sendAndDetach(
  { screen }: CliContext,
  session: FollowedSession,
  message: string | null,
  json: boolean,
): Promise<number> {
  const turn = message === null ? session.turn : (await deliver(session, message)).turn;
  if (json) screen.json({ session: session.id, turn });
  else screen.line(session.id);
  return cliExitCodes.success;
}

/** Delivers the message. An error names the session, which exists. */
async function deliver(session: FollowedSession, message: string): ReturnType<typeof deliverMessage> {
  try {
    return await deliverMessage(session, message);
  } catch (error) {
    if (!FairleadError.isInstance(error)) throw error;
    const hint = `Show its events with: fairlead logs ${session.id}`;
    throw new FairleadError(error.code, `${error.message} ${hint}`, { cause: error });
  }
}
