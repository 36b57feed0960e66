import { dirname, join } from "node:path";
import type { BenchAction, OpenTestBench, ToolUse } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment } from "../isolated-environment.ts";
import { openLab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { readOfferedTools } from "./read-offered-tools.ts";
import { modelFailures, readLabUsage } from "./model-failures.ts";

/** Milliseconds: how long the program may retry, and how long a failing turn may take in total. */
const retryDeadline = 4000;
const turnTimeout = 20_000;

export const openClaudeCodeBench: OpenTestBench = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  return {
    services: [lab.url],
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("claude-code"))}:${environment["PATH"] ?? ""}`,
      // Versions up to 2.0 send a request at startup to fill caches. Its usage is reported in this turn or the next, so
      // the usage of a turn would not be predictable.
      DISABLE_PROMPT_CACHING: "1",
    },
    settings: { retryDeadline },
    turnTimeout,
    badSettings: { maxTurns: "many" },
    failures: modelFailures(lab),
    buildPrompt(steps, workspace) {
      return scriptPrompt(
        steps.map(({ actions, ...step }) => ({
          ...step,
          ...(actions && { tools: actions.map((action) => toolFor(action, workspace)) }),
        })),
      );
    },
    buildFileChangePrompt(change, workspace) {
      if ("delete" in change) return null;
      const { path, before, after } = change.edit;
      const file = { file_path: join(workspace, path) };
      // The program edits only files that it has read.
      return scriptPrompt([
        { tools: [{ name: "Read", input: file }] },
        { tools: [{ name: "Edit", input: { ...file, old_string: before, new_string: after } }] },
        { text: "Done." },
      ]);
    },
    buildToolUsePrompt(use, workspace) {
      const call = toolUseFor(use, workspace);
      if (call === null) return null;
      // Newer versions load the description of this tool only when the model asks for it.
      const search = { name: "ToolSearch", input: { query: `select:${call.name}`, max_results: 1 } };
      return scriptPrompt([...("fetch" in use ? [{ tools: [search] }] : []), { tools: [call] }, { text: "Done." }]);
    },
    buildOfferedToolPrompt: (tool, input) =>
      scriptPrompt([{ tools: [{ name: `mcp__fairlead_tools__${tool}`, input }] }, { text: "Done." }]),
    buildServerToolPrompt(server, tool, input) {
      const name = `mcp__${server}__${tool}`;
      // Newer versions load the description of a server's tool only when the model asks for it.
      const search = { name: "ToolSearch", input: { query: `select:${name}`, max_results: 1 } };
      return scriptPrompt([{ tools: [search] }, { tools: [{ name, input }] }, { text: "Done." }]);
    },
    readOfferedTools: () => readOfferedTools(lab),
    async readModelContext() {
      // Auxiliary requests, such as one for a title, have no script.
      return (
        lab.requests.map(({ body }) => JSON.stringify(body ?? "")).findLast((body) => body.includes("SCRIPT:")) ?? ""
      );
    },
    terminalRunsTools: true,
    readRequestHeaders: () => lab.requests.map(({ headers }) => headers),
    readServedUsage: () => readLabUsage(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(action: BenchAction, workspace: string): ScriptToolCall {
  if ("write" in action) {
    return { name: "Write", input: { file_path: join(workspace, action.write.path), content: action.write.content } };
  }
  if ("read" in action) return { name: "Read", input: { file_path: join(workspace, action.read) } };
  if ("run" in action) return { name: "Bash", input: { command: action.run, description: "Run a command" } };
  const { text, options, multiSelect } = action.ask;
  const optionsWithDescription = options.map(({ label, description = label }) => ({ label, description }));
  const question = { question: text, header: "Question", multiSelect, options: optionsWithDescription };
  return { name: "AskUserQuestion", input: { questions: [question] } };
}

function toolUseFor(use: ToolUse, workspace: string): ScriptToolCall | null {
  if ("read" in use) return { name: "Read", input: { file_path: join(workspace, use.read) } };
  // The newest version has no tool for it.
  if ("search" in use) return null;
  return { name: "WebFetch", input: { url: use.fetch, prompt: "Summarize it." } };
}
