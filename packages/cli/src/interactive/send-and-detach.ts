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
  try {
    const turn = message === null ? session.turn : (await deliverMessage(session, message)).turn;
    if (json) screen.json({ session: session.id, turn });
    else screen.line(session.id);
    return cliExitCodes.success;
  } catch (error) {
    screen.warn(`fairlead: ${(error as Error).message}`);
    screen.warn(`Try: fairlead logs ${session.id}`);
    return cliExitCodes.failed;
  }
}
