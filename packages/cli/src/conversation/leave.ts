import { exitCodes } from "../exit-codes.ts";
import type { Surroundings } from "../surroundings.ts";
import type { FollowedSession } from "./followed-session.ts";

/** Sends a message and goes once the agent has taken it up. Only the id is printed, for scripts to keep. */
export async function leave(
  { screen }: Surroundings,
  session: FollowedSession,
  prompt: string,
  json: boolean,
): Promise<number> {
  const { last } = session;
  const turn = await session.send(prompt);
  for await (const item of session.stream(last)) {
    if (!("body" in item)) continue;
    if (item.body.type === "turn.started" && item.body.turn === turn) break;
    if (item.body.type === "session.ended") {
      screen.warn(`fairlead: The session ended (${item.body.reason}) before it took up the message.`);
      screen.warn(`Try: fairlead logs ${session.id}`);
      return exitCodes.failed;
    }
  }
  if (json) screen.json({ session: session.id, turn });
  else screen.line(session.id);
  return exitCodes.done;
}
