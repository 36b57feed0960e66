export { agentFolder, agentProgram, labAgents, resolveAgentVersion, findLabAgent, type LabAgent } from "./agents.ts";
export { installAgent } from "./install-agent.ts";
export { isolatedEnvironment } from "./isolated-environment.ts";
export { assertOffline, offlineCommand } from "./offline.ts";
export { openLab, type Lab, type LabRequest } from "./lab.ts";
export { findScriptSteps, scriptPrompt, type ScriptedFailure, type ScriptStep, type ScriptToolCall } from "./script.ts";
export { openLiveBench } from "./benches/live.ts";
export { testBenches } from "./benches/index.ts";
export type { ServedAnswer, ModelUsage } from "./model-usage.ts";
