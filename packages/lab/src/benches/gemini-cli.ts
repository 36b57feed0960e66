import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchAction, OpenTestBench, ToolUse } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment, labApiKey } from "../isolated-environment.ts";
import { openLab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { modelFailures } from "./model-failures.ts";

/** Milliseconds: how long the program may be silent, and how long a failing turn may take in total. */
const retryDeadline = 4000;
const turnTimeout = 20_000;

/** Limits the program to 2 attempts. By default it retries 10 times without output; with fewer it reports the error. */
const userSettings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, maxAttempts: 2 },
};

export const openGeminiCliBench: OpenTestBench = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const home = join(environment["HOME"] ?? folder, ".gemini");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "settings.json"), JSON.stringify(userSettings));
  return {
    services: [lab.url],
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("gemini-cli"))}:${environment["PATH"] ?? ""}`,
      GEMINI_API_KEY: labApiKey,
      GOOGLE_GEMINI_BASE_URL: lab.url,
    },
    // An exact model name. For a vague one the program first asks a model which model to use. It resolves "flash" to a
    // model that depends on its version, and reports the first turn under the alias and later turns under the real
    // name.
    settings: { model: "gemini-2.5-flash-lite" },
    turnTimeout,
    badSettings: { retryDeadline: "soon" },
    failures: modelFailures(lab, { hangSettings: { retryDeadline } }),
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
      const file_path = join(workspace, path);
      const input = { file_path, old_string: before, new_string: after, instruction: "Replace the word." };
      return scriptPrompt([{ tools: [{ name: "replace", input }] }, { text: "Done." }]);
    },
    buildToolUsePrompt: (use, workspace) => scriptPrompt([{ tools: [toolUseFor(use, workspace)] }, { text: "Done." }]),
    buildServerToolPrompt: (server, tool, input) =>
      scriptPrompt([{ tools: [{ name: `mcp_${server}_${tool}`, input }] }, { text: "Done." }]),
    async readModelContext() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    readServedUsage() {
      return lab.servedAnswers
        .filter((served) => served.complete)
        .map(({ model, input, cacheRead, output }) => ({
          model,
          // The protocol does not report cache reads separately. They are included in the input.
          tokens: { uncached: input + cacheRead, cacheRead: 0, cacheWrite: 0, output },
        }));
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(action: BenchAction, workspace: string): ScriptToolCall[] {
  if ("write" in action) {
    const { path, content } = action.write;
    return [{ name: "write_file", input: { file_path: join(workspace, path), content } }];
  }
  if ("read" in action) return [{ name: "read_file", input: { file_path: join(workspace, action.read) } }];
  return "run" in action
    ? [{ name: "run_shell_command", input: { command: action.run, description: "Run a command" } }]
    : [];
}

function toolUseFor(use: ToolUse, workspace: string): ScriptToolCall {
  if ("read" in use) return { name: "read_file", input: { file_path: join(workspace, use.read) } };
  if ("fetch" in use) return { name: "web_fetch", input: { prompt: `Summarize ${use.fetch}` } };
  const { text, folder } = use.search;
  return { name: "grep_search", input: { pattern: text, dir_path: join(workspace, folder) } };
}
