export { defineTool, type ToolDefinition } from "./define-tool.ts";
