import { toolTable } from "@fairlead/kit";

/** All tools of the agent program. */
export const openaiApiTools = toolTable({
  run_command: { kind: "run", command: "command", details: "timeout" },
  write_file: { kind: "edit", paths: "path", details: "content" },
  read_file: { kind: "read", paths: "path" },
  list_files: { kind: "search", paths: "path pattern" },
});
