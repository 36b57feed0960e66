import type { AgentCapabilities, SessionConfigOption, SessionInfo, SessionModeState } from "@agentclientprotocol/sdk";
import type { AgentView, SessionView } from "@fairlead/api";
import { permissionModes } from "@fairlead/contract";

/** Returns the capabilities for an editor. The agent is undefined if the workspace selects it later. */
export function acpCapabilities(agent: AgentView | undefined): AgentCapabilities {
  const agentMeta = agent && { agent: agent.agent, capabilities: agent.capabilities };
  const canResume = agent === undefined || agent.capabilities.includes("resume");
  return {
    // Any history can be shown, but after loading, the agent must also be able to continue the conversation.
    loadSession: canResume,
    promptCapabilities: { embeddedContext: true },
    sessionCapabilities: { list: {}, close: {}, ...(canResume && { resume: {} }) },
    ...(agentMeta && { _meta: { fairlead: agentMeta } }),
  };
}

export interface EditorSessionInfo {
  readonly modes: SessionModeState;
  readonly configOptions?: SessionConfigOption[];
}

/** Describes a session's mode and model. Both are fixed when the session starts, so each has one option. */
export function describeSession({ mode, model }: SessionView): EditorSessionInfo {
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

export function toSessionInfo({ session, workspace, title, name, lastAt }: SessionView): SessionInfo {
  return { sessionId: session, cwd: workspace, title: name ?? title, updatedAt: lastAt };
}
