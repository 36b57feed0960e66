import type { ToolAction } from "@fairlead/contract";
import { createToolAction, describeCall, toolTable, unwrapShellText, type ToolFacts } from "@fairlead/kit";
import { z } from "zod";

/** The tools of Codex 0.164 to 0.166: the fields of its reports, and of the model's own calls. Others are unknown. */
const tools = toolTable({
  exec_command: {
    kind: "run",
    command: "command cmd",
    folder: "cwd workdir",
    details: "sandbox_permissions justification prefix_rule login tty yield_time_ms max_output_tokens",
  },
  shell_command: { kind: "run", command: "command", folder: "workdir", details: "timeout_ms login justification" },
  // Types into a command that runs.
  write_stdin: { kind: "run", details: "session_id chars yield_time_ms max_output_tokens", incomplete: true },
  view_image: { kind: "read", paths: "path", details: "detail" },
  // The vendor's service searches, and opens pages of its own choice.
  web_search: { kind: "fetch", details: "query", incomplete: true },
  request_user_input: { kind: "other", details: "questions" },
  update_plan: { kind: "other", details: "plan explanation" },
  tool_search: { kind: "other", details: "query limit" },
});

const Changes = z.looseObject({
  changes: z.array(z.looseObject({ path: z.string(), movePath: z.string().optional() })),
});
/** Describes a call of Codex: of the app server, of exec, or in the transcript. */
export function describeCodexCall(name: string, input: unknown): ToolAction {
  if (name === "apply_patch") return describePatch(input);
  const action = describeCall(tools, name, input);
  // Codex reports the command line of the shell that it starts for the model's text.
  return action.command === undefined ? action : { ...action, command: unwrapShellText(action.command) };
}

/** The input is a list of changes, or the model's text. */
function describePatch(input: unknown): ToolAction {
  if (typeof input === "string") return createToolAction("edit", readPatch(input));
  const changes = Changes.safeParse(input).data?.changes ?? [];
  const paths = changes.flatMap(({ path, movePath }) => (movePath === undefined ? [path] : [path, movePath]));
  return createToolAction("edit", { paths });
}

const pathHeadings = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
const otherHeadings = ["*** Begin Patch", "*** End Patch", "*** End of File"];

function readPatch(patch: string): ToolFacts {
  // Codex ignores blanks around a heading.
  const headings = patch
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("*** ") && !otherHeadings.includes(line));
  const paths = headings.flatMap((line) => {
    const heading = pathHeadings.find((prefix) => line.startsWith(prefix));
    return heading === undefined ? [] : [line.slice(heading.length)];
  });
  return { paths, incomplete: paths.length < headings.length };
}
