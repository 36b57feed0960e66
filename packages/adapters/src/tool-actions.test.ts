import type { ToolAction } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { describeAmpCall } from "./amp/actions.ts";
import { describeClaudeCodeCall } from "./claude-code/actions.ts";
import { describeCodexCall } from "./codex-exec/actions.ts";
import { toDecisionPrompt } from "./codex/tools.ts";
import { CodexItem, CodexServerRequest } from "./codex/wire.ts";
import { describeGeminiCall, readGeminiCommand } from "./gemini-cli/actions.ts";
import { opencodeTools } from "./opencode/actions.ts";

const incomplete = true;

describe("the actions of Codex", () => {
  const patch = `*** Begin Patch
*** Add File: new.txt
+*** Delete File: only-text.txt
*** Update File: a b.txt
*** Move to: c.txt
@@
-x
+y
  *** Delete File: gone.txt\r
*** End of File
*** End Patch
`;

  test.for<[string, unknown, ToolAction]>([
    ["apply_patch", patch, { kind: "edit", paths: ["new.txt", "a b.txt", "c.txt", "gone.txt"] }],
    ["apply_patch", "*** Begin Patch\n*** Rename File: x", { kind: "edit", incomplete }],
    ["apply_patch", "no patch", { kind: "edit", incomplete }],
    ["apply_patch", { changes: [{ path: "/a", kind: "add" }] }, { kind: "edit", paths: ["/a"] }],
    ["apply_patch", { changes: [{ path: "/a" }, { path: 5 }] }, { kind: "edit", incomplete }],
    ["apply_patch", { changes: [] }, { kind: "edit", incomplete }],
    ["exec_command", { command: "/bin/bash -lc 'rm x'", cwd: "/w" }, { kind: "run", command: "rm x", folder: "/w" }],
    ["exec_command", { cmd: "rm x", workdir: "/w" }, { kind: "run", command: "rm x", folder: "/w" }],
    ["exec_command", { cmd: "rm x", shell: "zsh" }, { kind: "run", command: "rm x", incomplete }],
    ["exec_command", { command: "/usr/bin/zsh -lc 'rm x'" }, { kind: "run", command: "/usr/bin/zsh -lc 'rm x'" }],
    ["write_stdin", { session_id: 1, chars: "rm x\n" }, { kind: "run", incomplete }],
    ["server.exec_command", { command: "x" }, { kind: "other", incomplete }],
  ])("%s %j", ([name, input, action]) => expect(describeCodexCall(name, input)).toEqual(action));

  test("a file that is moved has two paths", () => {
    const changes = [{ path: "/old", kind: { type: "update", move_path: "/new" }, diff: "" }];
    const item = CodexItem.parse({ type: "fileChange", id: "1", changes });
    expect(describeCodexCall("apply_patch", { changes: item.changes })).toEqual({
      kind: "edit",
      paths: ["/old", "/new"],
    });
  });

  test.for(["grantRoot", "additionalPermissions", "networkApprovalContext"])(
    "an approval that grants more than the call is incomplete: %s",
    (field) => {
      const tool = { name: "exec_command", input: { command: "ls" } };
      const request = { itemId: "1", command: "ls" };
      expect(toDecisionPrompt(tool, CodexServerRequest.parse(request)).action).toEqual({ kind: "run", command: "ls" });
      const granting = CodexServerRequest.parse({ ...request, [field]: { host: "x" } });
      expect(toDecisionPrompt(tool, granting).action).toEqual({ kind: "run", command: "ls", incomplete });
    },
  );
});

test.for<[string, unknown, ToolAction]>([
  ["Bash", { command: "ls", run_in_background: true }, { kind: "run", command: "ls" }],
  ["Bash", { command: "ls", dangerouslyDisableSandbox: true }, { kind: "run", command: "ls", incomplete }],
  ["MultiEdit", { file_path: "/a", edits: [] }, { kind: "edit", paths: ["/a"] }],
  ["Glob", { pattern: "/etc/**" }, { kind: "search", paths: ["/etc/**"] }],
  ["Grep", { pattern: "x", path: "/etc", "-n": true }, { kind: "search", paths: ["/etc"] }],
  ["Grep", { pattern: "x", glob: ".env*" }, { kind: "search", paths: [".env*"] }],
  ["WebFetch", { url: "https://example.org/a", prompt: "" }, { kind: "fetch", hosts: ["example.org"] }],
  ["WebSearch", { query: "x" }, { kind: "fetch", incomplete }],
  ["mcp__server__Bash", { command: "ls" }, { kind: "other", incomplete }],
  ["Skill", { skill: "x" }, { kind: "other", incomplete }],
])("the actions of Claude Code: %s %j", ([name, input, action]) => {
  expect(describeClaudeCodeCall(name, input)).toEqual(action);
});

test("a filter of files is a path of a search", () => {
  const action = { kind: "search", paths: [".env"] };
  expect(describeAmpCall("Grep", { pattern: "x", glob: ".env" })).toEqual(action);
  expect(describeGeminiCall("grep_search", { pattern: "x", include_pattern: ".env" })).toEqual(action);
  expect(opencodeTools.get("grep")?.meanings.get("include")).toBe("path");
});

test("the actions of Gemini CLI, with its input and without", () => {
  const facts = { name: "run_shell_command", title: "ls", kind: "execute", rawInput: null, paths: [] };
  expect(readGeminiCommand({ ...facts, description: "[current working directory /w] (List)" })).toEqual({
    command: "ls",
    incomplete: false,
  });
  // The model chooses the folder, and could write words that look like the end of another one.
  expect(readGeminiCommand({ ...facts, description: "[in /etc] (x]" })).toEqual({ command: "ls", incomplete });
  expect(readGeminiCommand({ ...facts, name: "mcp_server_run", description: "" })).toBeNull();
  expect(describeGeminiCall("run_shell_command", { command: "ls", dir_path: "/etc" })).toEqual({
    kind: "run",
    command: "ls",
    folder: "/etc",
  });
  expect(describeGeminiCall("web_fetch", { prompt: "https://example.org" })).toEqual({ kind: "fetch", incomplete });
});
