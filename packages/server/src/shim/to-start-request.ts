import type { StartRequest } from "@fairlead/api";
import type { AgentBrief } from "./agent-brief.ts";
import type { ShimOptions } from "./shim.ts";

/** Converts a brief to a start request. Settings that the agent does not support remain only in the prompt. */
export async function toStartRequest(
  brief: AgentBrief,
  { fairlead, workspace, agent, mock }: ShimOptions,
): Promise<StartRequest> {
  const { modelPreference, sessionPolicy, providerConfig } = brief;
  const { mode, settings: briefSettings } = providerConfig?.fairlead ?? {};
  const isLimited = sessionPolicy?.maxTurns !== undefined;
  const views = agent !== undefined && isLimited ? await fairlead.agents() : [];
  const view = views.find((candidate) => candidate.agent === agent);
  const settings = {
    ...(modelPreference !== undefined && !mock && { model: modelPreference }),
    ...(isLimited && view?.capabilities.includes("max-turns") && { maxTurns: sessionPolicy.maxTurns }),
    ...briefSettings,
  };
  return { workspace, settings, ...(agent !== undefined && { agent }), ...(mode !== undefined && { mode }) };
}
