import { cliExitCodes } from "../exit-codes.ts";
import type { CliContext } from "../cli-context.ts";
import type { FollowedSession } from "./followed-session.ts";

/** Sends a message and returns once its turn has started. Prints only the session's id, for scripts. */
export async function sendAndDetach(
  { screen }: CliContext,
  session: FollowedSession,
  message: string,
  json: boolean,
): Promise<number> {
  const { lastSequence } = session;
  const turn = await session.send(message);
  for await (const item of session.stream(lastSequence)) {
    if (!("body" in item)) continue;
    if (item.body.type === "turn.started" && item.body.turn === turn) break;
    if (item.body.type === "session.ended") {
      screen.warn(`fairlead: The message was not delivered: the session ended first (${item.body.reason}).`);
      screen.warn(`Try: fairlead logs ${session.id}`);
      return cliExitCodes.failed;
    }
  }
  if (json) screen.json({ session: session.id, turn });
  else screen.line(session.id);
  return cliExitCodes.success;
}
