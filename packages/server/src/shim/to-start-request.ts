import type { StartRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { AgentBrief } from "./agent-brief.ts";
import { requiresApprovals } from "./requires-approvals.ts";
import type { ShimOptions } from "./shim.ts";

/** Converts a brief to a start request. Settings that the agent does not support remain only in the prompt. */
export async function toStartRequest(brief: AgentBrief, options: ShimOptions): Promise<StartRequest> {
  const { fairlead, workspace, agent, mock } = options;
  const { modelPreference, sessionPolicy, providerConfig } = brief;
  const { mode, settings: briefSettings = {} } = providerConfig?.fairlead ?? {};
  const approvalsRequired = requiresApprovals(mode ?? "default", options);
  if (!approvalsRequired) assertSettingsAllowed(briefSettings, options);
  const isLimited = sessionPolicy?.maxTurns !== undefined;
  const views = agent !== undefined && isLimited ? await fairlead.agents() : [];
  const view = views.find((candidate) => candidate.agent === agent);
  const settings = {
    ...(modelPreference !== undefined && !mock && { model: modelPreference }),
    ...(isLimited && view?.capabilities.includes("max-turns") && { maxTurns: sessionPolicy.maxTurns }),
    ...briefSettings,
  };
  return {
    workspace,
    settings,
    ...(agent !== undefined && { agent }),
    ...(mode !== undefined && { mode }),
    ...(approvalsRequired && { approvalsRequired }),
  };
}

/** Settings of an agent can extend a mode, so a permitted mode does not permit them. */
function assertSettingsAllowed(settings: Readonly<Record<string, unknown>>, options: ShimOptions): void {
  if (Object.keys(settings).length === 0 || !requiresApprovals("dangerously-skip-permissions", options)) return;
  throw new FairleadError(
    "not-allowed",
    "The brief has settings and a mode without approvals. Start the shim with: --allow-modes dangerously-skip-permissions",
  );
}
