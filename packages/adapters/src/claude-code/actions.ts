import type { ToolAction } from "@fairlead/contract";
import { describeCall, toolTable } from "@fairlead/kit";

/** The tools of Claude Code 1.0.128 to 2.1. Others, such as those of MCP servers and skills, are unknown. */
const tools = toolTable({
  Bash: { kind: "run", command: "command", details: "description timeout run_in_background" },
  Monitor: { kind: "run", command: "command", details: "description timeout_ms persistent" },
  Write: { kind: "edit", paths: "file_path", details: "content" },
  Edit: { kind: "edit", paths: "file_path", details: "old_string new_string replace_all" },
  MultiEdit: { kind: "edit", paths: "file_path", details: "edits" },
  NotebookEdit: { kind: "edit", paths: "notebook_path", details: "cell_id new_source cell_type edit_mode" },
  Read: { kind: "read", paths: "file_path", details: "offset limit pages allow_large" },
  Glob: { kind: "search", paths: "pattern path" },
  Grep: {
    kind: "search",
    paths: "path glob",
    details: "pattern type output_mode -A -B -C -n -i -o context head_limit offset multiline",
  },
  WebFetch: { kind: "fetch", urls: "url", details: "prompt" },
  // The vendor's service searches, and opens pages of its own choice.
  WebSearch: { kind: "fetch", details: "query allowed_domains blocked_domains", incomplete: true },
  AskUserQuestion: { kind: "other", details: "questions answers annotations metadata" },
  // The calls of a sub-agent are reported apart.
  Agent: { kind: "other", details: "description prompt subagent_type model effort run_in_background" },
  Task: { kind: "other", details: "description prompt subagent_type model run_in_background" },
  TodoWrite: { kind: "other", details: "todos" },
  ToolSearch: { kind: "other", details: "query max_results" },
  // A person reads the plan before the agent leaves it.
  ExitPlanMode: { kind: "other", details: "plan", incomplete: true },
  BashOutput: { kind: "other", details: "bash_id filter" },
  TaskOutput: { kind: "other", details: "task_id block timeout" },
  KillShell: { kind: "other", details: "shell_id" },
  TaskStop: { kind: "other", details: "task_id" },
});

export function describeClaudeCodeCall(name: string, input: unknown): ToolAction {
  return describeCall(tools, name, input);
}
