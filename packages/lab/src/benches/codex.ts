import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchAction, FileChangeAction, OpenTestBench, TestBench } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment, labApiKey } from "../isolated-environment.ts";
import { openLab, type Lab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { readOfferedTools } from "./read-offered-tools.ts";
import { modelFailures, readConversationUsage } from "./model-failures.ts";

/** Milliseconds: how long the model may be silent, and how long a failing turn may take in total. */
const retryDeadline = 5000;
const turnTimeout = 20_000;
const model = "gpt-5.5";

export const openCodexBench: OpenTestBench = (folder) => openBench(folder, toolsFor(escalatedCommand));

/**
 * The bench for the same program in its non-interactive mode. It cannot ask, so sessions use a mode that allows edits.
 */
export const openCodexExecBench: OpenTestBench = async (folder) => ({
  ...(await openBench(folder, toolsFor(sandboxedCommand))),
  mode: "accept-edits",
  settings: { retryDeadline, model },
});

/** The bench for Codex's built-in provider, with a key in the environment. */
export const openCodexKeyBench: OpenTestBench = async (folder) => withBuiltInProvider(await openCodexBench(folder));

/** The bench for the built-in provider in the non-interactive mode. */
export const openCodexExecKeyBench: OpenTestBench = async (folder) =>
  withBuiltInProvider(await openCodexExecBench(folder));

type ToolsFor = (actions: readonly BenchAction[]) => ScriptToolCall[];

async function openBench(folder: string, tools: ToolsFor): Promise<TestBench> {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const home = join(folder, "home", ".codex");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), providerConfiguration(lab) + configuration);
  return {
    services: [lab.url],
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("codex"))}:${environment["PATH"] ?? ""}`,
      CODEX_HOME: home,
      CODEX_LAB_KEY: labApiKey,
    },
    settings: { retryDeadline },
    turnTimeout,
    badSettings: { retryDeadline: "soon" },
    failures: modelFailures(lab),
    buildPrompt(steps) {
      return scriptPrompt(
        steps.map(({ actions, ...step }) => ({ ...step, ...(actions && { tools: tools(actions) }) })),
      );
    },
    buildFileChangePrompt: (change) =>
      scriptPrompt([{ tools: [{ name: "apply_patch", input: changePatch(change) }] }, { text: "Done." }]),
    buildSandboxedCommandPrompt: (command) => scriptPrompt([{ tools: [sandboxedCommand(command)] }, { text: "Done." }]),
    buildOfferedToolPrompt: (tool, input) => scriptPrompt([{ tools: [{ name: tool, input }] }, { text: "Done." }]),
    buildServerToolPrompt: (server, tool, input) =>
      scriptPrompt([{ tools: [{ namespace: `mcp__${server}`, name: tool, input }] }, { text: "Done." }]),
    readOfferedTools: () => readOfferedTools(lab),
    async readModelContext() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    terminalRunsTools: true,
    readRequestHeaders: () => lab.requests.map(({ headers }) => headers),
    readServedUsage: () => readConversationUsage(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** Removes the custom provider. The settings say where the lab is, because the program ignores `OPENAI_BASE_URL`. */
function withBuiltInProvider(bench: TestBench): TestBench {
  writeFileSync(join(bench.environment["CODEX_HOME"] ?? "", "config.toml"), configuration);
  return {
    ...bench,
    environment: { ...bench.environment, OPENAI_API_KEY: labApiKey },
    settings: { ...bench.settings, options: { openai_base_url: `${bench.services?.[0]}/v1` } },
  };
}

/** Configures the lab as a custom provider, because the built-in one tries a WebSocket first. */
function providerConfiguration(lab: Lab): string {
  return `
model_provider = "lab"
model_providers.lab = { name = "lab", base_url = "${lab.url}/v1", env_key = "CODEX_LAB_KEY", wire_api = "responses" }
`;
}

/** Unknown models get fewer tools. */
const configuration = `
model = "${model}"
check_for_update_on_startup = false
[analytics]
enabled = false
[notice.model_migrations]
"${model}" = "gpt-6-sol"
`;

/** The program applies patches one after the other. Parallel writes are commands, slow enough to overlap. */
const toolsFor =
  (run: (cmd: string) => ScriptToolCall): ToolsFor =>
  (actions) =>
    actions.map((action) => {
      if ("read" in action) return sandboxedCommand(`cat ${action.read}`);
      if ("run" in action) return action.unescalated ? sandboxedCommand(action.run) : run(action.run);
      if ("write" in action && actions.length > 1)
        return run(`sleep 0.5; printf '%s' '${action.write.content}' > ${action.write.path}`);
      if ("write" in action) return { name: "apply_patch", input: patch(action.write) };
      const { text, options } = action.ask;
      const optionsWithDescription = options.map(({ label, description = label }) => ({ label, description }));
      const question = { id: "question", header: "Question", question: text, options: optionsWithDescription };
      return { name: "request_user_input", input: { questions: [question] } };
    });

/** Builds a command that asks for approval, because it asks to leave the sandbox. */
function escalatedCommand(cmd: string): ScriptToolCall {
  const escalation = { sandbox_permissions: "require_escalated", justification: "It needs more than to read." };
  return { name: "exec_command", input: { cmd, ...escalation, yield_time_ms: 30_000 } };
}

function sandboxedCommand(cmd: string): ScriptToolCall {
  return { name: "exec_command", input: { cmd, yield_time_ms: 30_000 } };
}

function changePatch(change: FileChangeAction): string {
  const toLines = (text: string, mark: string): string[] =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `${mark}${line}`);
  const hunks =
    "delete" in change
      ? [`*** Delete File: ${change.delete}`]
      : [
          `*** Update File: ${change.edit.path}`,
          "@@",
          ...toLines(change.edit.before, "-"),
          ...toLines(change.edit.after, "+"),
        ];
  return ["*** Begin Patch", ...hunks, "*** End Patch", ""].join("\n");
}

function patch({ path, content }: { readonly path: string; readonly content: string }): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch", ""].join(
    "\n",
  );
}
