import type { Start } from "@fairlead/api";
import type { AgentBrief } from "./agent-brief.ts";
import type { ShimOptions } from "./shim.ts";

/** How a session is to be started for a brief. What the agent cannot honour is left to the words of the brief. */
export async function startOf(brief: AgentBrief, { fairlead, workspace, agent, mock }: ShimOptions): Promise<Start> {
  const { modelPreference, sessionPolicy, providerConfig } = brief;
  const { mode, settings: ours } = providerConfig?.fairlead ?? {};
  const isLimited = sessionPolicy?.maxTurns !== undefined;
  const views = agent !== undefined && isLimited ? await fairlead.agents() : [];
  const view = views.find((one) => one.agent === agent);
  const settings = {
    ...(modelPreference !== undefined && !mock && { model: modelPreference }),
    ...(isLimited && view?.capabilities.includes("max-turns") && { maxTurns: sessionPolicy.maxTurns }),
    ...ours,
  };
  return { workspace, settings, ...(agent !== undefined && { agent }), ...(mode !== undefined && { mode }) };
}
