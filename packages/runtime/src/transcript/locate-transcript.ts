import type { Adapter } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";

/** Longer than any id that an agent is known to use, and short enough for a file name. */
const maxIdLength = 200;

/**
 * Whether an agent's session id may become part of a path or of a command line. The agent chooses the id, and a caller
 * can send one in a checkpoint. With separators it would name a file elsewhere, and with a leading dash it would be an
 * option of the agent.
 */
export function isSafeAgentSessionId(id: string): boolean {
  return id.length <= maxIdLength && /^[^-/\\\p{Cc}][^/\\\p{Cc}]*$/u.test(id) && id !== "." && id !== "..";
}

/** Returns the path of the agent's own transcript of a session, or null if there is none or its id is not safe. */
export function locateTranscript(
  adapter: Adapter,
  { opening, agentSessionId }: Pick<SessionState, "opening" | "agentSessionId">,
  environment: Environment,
): string | null {
  if (opening === null || agentSessionId === null || !isSafeAgentSessionId(agentSessionId)) return null;
  return adapter.transcriptPath?.(opening, agentSessionId, environment) ?? null;
}
