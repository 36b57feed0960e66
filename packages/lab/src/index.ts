export { agentFolder, agentProgram, agents, findAgent, type Agent } from "./agents.ts";
export { assertOffline } from "./assert-offline.ts";
export { isolatedEnvironment } from "./isolation.ts";
export { openLab, type Lab, type LabRequest } from "./lab.ts";
export { findScript, script } from "./script.ts";
export type { Failure, Step, ToolCall } from "./step.ts";
export { stages } from "./stages/index.ts";
export type { Served, Usage } from "./usage.ts";
