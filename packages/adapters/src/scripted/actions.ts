import type { ToolAction } from "@fairlead/contract";
import { describeCall, toolTable } from "@fairlead/kit";

const tools = toolTable({
  run: { kind: "run", command: "command" },
  write: { kind: "edit", paths: "path", details: "content" },
  ask: { kind: "other", details: "questions" },
});

export function describeScriptedCall(name: string, input: unknown): ToolAction {
  return describeCall(tools, name, input);
}
