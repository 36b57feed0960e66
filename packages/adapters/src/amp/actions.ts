import type { ToolAction } from "@fairlead/contract";
import { describeCall, toolTable } from "@fairlead/kit";

/** The tools of Amp 0.0.1769314944. Others, such as those of MCP servers and skills, are unknown. */
const tools = toolTable({
  Bash: { kind: "run", command: "cmd", folder: "cwd" },
  create_file: { kind: "edit", paths: "path", details: "content" },
  edit_file: { kind: "edit", paths: "path", details: "old_str new_str replace_all" },
  undo_edit: { kind: "edit", paths: "path" },
  Read: { kind: "read", paths: "path", details: "read_range" },
  look_at: { kind: "read", paths: "path referenceFiles", details: "objective context" },
  glob: { kind: "search", paths: "filePattern", details: "limit offset" },
  Grep: { kind: "search", paths: "path glob", details: "pattern caseSensitive literal" },
  read_web_page: { kind: "fetch", urls: "url", details: "objective forceRefetch" },
  // The vendor's service searches, and opens pages of its own choice.
  web_search: { kind: "fetch", details: "objective search_queries max_results", incomplete: true },
  // Sub-agents: finder reads only in the workspace, and the calls of a Task are reported apart.
  finder: { kind: "search", details: "query" },
  Task: { kind: "other", details: "prompt description" },
  mermaid: { kind: "other", details: "code citations" },
});

/** What the manifest declares because of these tools. */
export const ampToolCapabilities = ["read-tool", "search-tool", "fetch-tool"] as const;

export function describeAmpCall(name: string, input: unknown): ToolAction {
  return describeCall(tools, name, input);
}
