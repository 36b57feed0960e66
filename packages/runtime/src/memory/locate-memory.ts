import type { Adapter, AgentMemory } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";
import { isSafeAgentSessionId } from "../transcript/locate-transcript.ts";

/** Returns where the agent of a session keeps its conversation on this host, or null if it has no files for it. */
export function locateMemory(
  adapter: Adapter,
  { opening, agentSessionId }: Pick<SessionState, "opening" | "agentSessionId">,
  environment: Environment,
): AgentMemory | null {
  if (opening === null || agentSessionId === null || !isSafeAgentSessionId(agentSessionId)) return null;
  return adapter.memory?.(opening, agentSessionId, environment) ?? null;
}
