import { toolTable } from "@fairlead/kit";

/** The tools of opencode 1.18. A request for an approval names the file `filepath` and shows a `diff`. */
export const opencodeTools = toolTable({
  bash: { kind: "run", command: "command", folder: "workdir cwd", details: "description timeout" },
  write: { kind: "edit", paths: "filePath filepath", details: "content diff" },
  edit: { kind: "edit", paths: "filePath filepath", details: "oldString newString replaceAll diff" },
  read: { kind: "read", paths: "filePath filepath", details: "offset limit" },
  glob: { kind: "search", paths: "pattern path" },
  grep: { kind: "search", paths: "path include", details: "pattern" },
  webfetch: { kind: "fetch", urls: "url", details: "format timeout" },
  todowrite: { kind: "other", details: "todos" },
  todoread: { kind: "other" },
  // The calls of a sub-agent are reported apart.
  task: { kind: "other", details: "description prompt subagent_type task_id" },
});
