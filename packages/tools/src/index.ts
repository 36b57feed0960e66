export { builtInTools } from "./built-in/built-in-tools.ts";
export { defineTool, type ToolDefinition } from "./define-tool.ts";
export { createSessionTools } from "./session-tools/create-session-tools.ts";
export type { SessionToolsOptions, SessionToolsPort } from "./session-tools/session-tools-options.ts";
