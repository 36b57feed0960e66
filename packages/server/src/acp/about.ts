import type { AgentCapabilities, SessionConfigOption, SessionInfo, SessionModeState } from "@agentclientprotocol/sdk";
import type { AgentView, SessionView } from "@fairlead/api";
import { permissionModes } from "@fairlead/contract";

/** What we can do for an editor. Which agent it will be may depend on the workspace; then nothing is known of it yet. */
export function capabilitiesFor(agent: AgentView | undefined): AgentCapabilities {
  const known = agent && { agent: agent.agent, capabilities: agent.capabilities };
  const resumes = agent === undefined || agent.capabilities.includes("resume");
  return {
    // Any history can be shown, but a conversation must also be able to go on.
    loadSession: resumes,
    promptCapabilities: { embeddedContext: true },
    sessionCapabilities: { list: {}, close: {}, ...(resumes && { resume: {} }) },
    ...(known && { _meta: { fairlead: known } }),
  };
}

export interface About {
  readonly modes: SessionModeState;
  readonly configOptions?: SessionConfigOption[];
}

/** What an editor shows of a session. Mode and model were chosen when it was started, so there is no other choice. */
export function aboutSession({ mode, model }: SessionView): About {
  const modes = {
    currentModeId: mode,
    availableModes: [{ id: mode, name: mode, description: permissionModes[mode] }],
  };
  return model === null ? { modes } : { modes, configOptions: [modelOption(model)] };
}

export function modelOption(model: string): SessionConfigOption {
  const options = [{ value: model, name: model }];
  return { type: "select", id: "model", name: "Model", category: "model", currentValue: model, options };
}

export function listed({ session, workspace, title, name, lastAt }: SessionView): SessionInfo {
  return { sessionId: session, cwd: workspace, title: name ?? title, updatedAt: lastAt };
}
