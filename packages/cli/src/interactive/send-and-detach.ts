import type { CliContext } from "../cli-context.ts";
import { cliExitCodes } from "../exit-codes.ts";
import { deliverMessage } from "./deliver-message.ts";
import type { FollowedSession } from "./followed-session.ts";

/** Sends a message and returns once its turn has started, or waits for others. Prints only the session's id, for scripts. */
export async function sendAndDetach(
  { screen }: CliContext,
  session: FollowedSession,
  message: string,
  json: boolean,
): Promise<number> {
  try {
    const { turn } = await deliverMessage(session, message);
    if (json) screen.json({ session: session.id, turn });
    else screen.line(session.id);
    return cliExitCodes.success;
  } catch (error) {
    screen.warn(`fairlead: ${(error as Error).message}`);
    screen.warn(`Try: fairlead logs ${session.id}`);
    return cliExitCodes.failed;
  }
}
