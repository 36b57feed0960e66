import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchAction, OpenTestBench, ToolUse } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment, labApiKey } from "../isolated-environment.ts";
import { openLab, type Lab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { modelFailures, readLabUsage } from "./model-failures.ts";

/** Milliseconds: how long the program may retry, and how long a failing turn may take in total. */
const retryDeadline = 4000;
const turnTimeout = 20_000;

/** For errors that it retries, the program reports the message without the status. */
const errorMessages = { 429: "Rate limit reached for requests.", 500: "The server had an error." };

export const openOpencodeBench: OpenTestBench = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const configuration = join(folder, "opencode.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(configuration, JSON.stringify(configurationFor(lab)));
  return {
    services: [lab.url],
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("opencode"))}:${environment["PATH"] ?? ""}`,
      OPENCODE_CONFIG: configuration,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    turnTimeout,
    badSettings: { retryDeadline: "soon" },
    failures: modelFailures(lab, { settings: { retryDeadline }, errorMessages }),
    buildPrompt(steps, workspace) {
      if (steps.some(({ actions }) => actions?.some((action) => "ask" in action))) return null;
      return scriptPrompt(
        steps.map(({ actions, ...step }) => ({
          ...step,
          ...(actions && { tools: actions.flatMap((action) => toolFor(action, workspace)) }),
        })),
      );
    },
    buildFileChangePrompt(change, workspace) {
      if ("delete" in change) return null;
      const { path, before, after } = change.edit;
      const file = { filePath: join(workspace, path) };
      // The program edits only files that it has read.
      return scriptPrompt([
        { tools: [{ name: "read", input: file }] },
        { tools: [{ name: "edit", input: { ...file, oldString: before, newString: after } }] },
        { text: "Done." },
      ]);
    },
    buildToolUsePrompt: (use, workspace) => scriptPrompt([{ tools: [toolUseFor(use, workspace)] }, { text: "Done." }]),
    buildServerToolPrompt: (server, tool, input) =>
      scriptPrompt([{ tools: [{ name: `${server}_${tool}`, input }] }, { text: "Done." }]),
    async readModelContext() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    readServedUsage: () => readLabUsage(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function configurationFor(lab: Lab): object {
  const model = {
    tool_call: true,
    reasoning: true,
    limit: { context: 128_000, output: 8000 },
    cost: { input: 1, output: 1, cache_read: 0.1 },
  };
  const options = { baseURL: `${lab.url}/v1`, apiKey: labApiKey };
  return {
    provider: { lab: { npm: "@ai-sdk/openai-compatible", options, models: { "lab-model": model } } },
    model: "lab/lab-model",
    small_model: "lab/lab-model",
    enabled_providers: ["lab"],
  };
}

function toolFor(action: BenchAction, workspace: string): ScriptToolCall[] {
  if ("write" in action) {
    const { path, content } = action.write;
    return [{ name: "write", input: { filePath: join(workspace, path), content } }];
  }
  if ("read" in action) return [{ name: "read", input: { filePath: join(workspace, action.read) } }];
  return "run" in action ? [{ name: "bash", input: { command: action.run, description: "Run a command" } }] : [];
}

function toolUseFor(use: ToolUse, workspace: string): ScriptToolCall {
  if ("read" in use) return { name: "read", input: { filePath: join(workspace, use.read) } };
  if ("fetch" in use) return { name: "webfetch", input: { url: use.fetch, format: "text" } };
  return { name: "grep", input: { pattern: use.search.text, path: join(workspace, use.search.folder) } };
}
