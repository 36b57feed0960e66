import type { StartRequest } from "@fairlead/api";
import type { WorkspaceFileContent } from "@fairlead/runtime";
import type { CliContext } from "../cli-context.ts";
import { TrustedFiles } from "@fairlead/daemon";

export type AgentChoiceContext = Pick<CliContext, "environment" | "home">;

/**
 * Applies `FAIRLEAD_AGENT` and `FAIRLEAD_MODEL` of this process to a request, where neither the request nor the workspace
 * sets them. The daemon cannot: its environment is that of the process that started it.
 */
export async function applyLocalAgentChoice(
  request: StartRequest,
  { environment, home }: AgentChoiceContext,
): Promise<StartRequest> {
  if (!environment["FAIRLEAD_AGENT"] && !environment["FAIRLEAD_MODEL"]) return request;
  const { agent, workspace, settings = {}, mode, approvalsRequired = false } = request;
  // The `fairlead.yaml` of a repository, which comes before the environment, is not here.
  if (workspace === undefined) return request;
  const { chooseAgent } = await import("./choose-agent.ts");
  const trusts = (file: WorkspaceFileContent): boolean => new TrustedFiles(home).trusts(file);
  const options = { workspace, settings, environment, trusts, approvalsRequired, ...(mode !== undefined && { mode }) };
  const { choice } = chooseAgent(agent === undefined ? [] : [agent], options);
  if (choice === null) return request; // a newer daemon may know the agent, and reports an error if it does not
  return { ...request, agent: choice.agent, settings: { ...choice.settings } };
}
