import type { ToolAction } from "@fairlead/contract";
import { describeCall, toolTable, type AcpCallFacts, type ToolFacts } from "@fairlead/kit";

/** The tools of Gemini CLI 0.59 to 0.61. Others, such as those of MCP servers, are unknown. */
export const geminiTools = toolTable({
  run_shell_command: {
    kind: "run",
    command: "command",
    folder: "dir_path",
    details: "description is_background delay_ms",
  },
  write_file: { kind: "edit", paths: "file_path", details: "content" },
  replace: { kind: "edit", paths: "file_path", details: "instruction old_string new_string allow_multiple" },
  read_file: { kind: "read", paths: "file_path", details: "start_line end_line" },
  list_directory: { kind: "read", paths: "dir_path", details: "ignore file_filtering_options" },
  glob: {
    kind: "search",
    paths: "pattern dir_path",
    details: "case_sensitive respect_git_ignore respect_gemini_ignore",
  },
  grep_search: {
    kind: "search",
    paths: "dir_path include_pattern",
    details: "pattern exclude_pattern names_only max_matches_per_file total_max_matches",
  },
  // The URLs are somewhere in a text.
  web_fetch: { kind: "fetch", details: "prompt", incomplete: true },
  google_web_search: { kind: "fetch", details: "query", incomplete: true },
  write_todos: { kind: "other", details: "todos" },
  update_topic: { kind: "other", details: "title summary strategic_intent wait_for_previous" },
});

export function describeGeminiCall(name: string, input: unknown): ToolAction {
  return describeCall(geminiTools, name, input);
}

/**
 * Reads the command of a call in ACP, where Gemini CLI reports no input: the title is exactly the command, and the
 * description begins with the folder. A folder of the model's choice is in the same text as the model's own words, so it
 * cannot be read with certainty.
 */
export function readGeminiCommand({ name, title, description }: AcpCallFacts): ToolFacts | null {
  if (name !== "run_shell_command") return null;
  return { command: title, incomplete: !description.startsWith("[current working directory ") };
}
