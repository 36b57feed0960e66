import type { Runtime } from "../../../runtime/src/runtime.ts";
import type { Session } from "../../../runtime/src/sessions/session.ts";
import { eventsUntil } from "./test-home.ts";

/** A command that commits everything as the agent. */
export const commitAll =
  "git add --all && git -c user.name=Agent -c user.email=agent@example.com commit --quiet -m work";

/** Starts an isolated session of the shell agent. */
export async function startIsolated(runtime: Runtime, workspace: string, session: string): Promise<Session> {
  return await runtime.start({ agent: "shell", workspace, session, isolated: true });
}

/** Runs a command as the agent, and returns its output. */
export async function runCommand(session: Session, command: string): Promise<string> {
  const after = session.lastSequence;
  await session.send(command);
  const events = await eventsUntil(session, "turn.ended", after);
  return JSON.stringify(events.flatMap(({ body }) => (body.type === "tool.ended" ? body.output : [])));
}
