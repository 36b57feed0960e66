import { join } from "node:path";
import type { BenchAction, OpenTestBench } from "@fairlead/conformance";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment, labApiKey } from "../isolated-environment.ts";
import { openLab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { readOfferedTools } from "./read-offered-tools.ts";
import { modelFailures, readLabUsage } from "./model-failures.ts";

/** Milliseconds: how long the model may be silent, and how long a failing turn may take in total. */
const retryDeadline = 3000;
const turnTimeout = 15_000;

/** The bench for the repository's own agent program, with the lab as its Chat Completions API. */
export const openOpenaiApiBench: OpenTestBench = async (folder) => {
  assertOffline();
  const lab = await openLab();
  return {
    services: [lab.url],
    environment: {
      ...isolatedEnvironment(folder, lab),
      XDG_STATE_HOME: join(folder, "state"),
      OPENAI_BASE_URL: `${lab.url}/v1`,
      OPENAI_API_KEY: labApiKey,
    },
    settings: { retryDeadline },
    turnTimeout,
    badSettings: { maxTurns: "many" },
    failures: modelFailures(lab),
    buildPrompt(steps) {
      if (steps.some(({ actions }) => actions?.some((action) => "ask" in action))) return null;
      return scriptPrompt(
        steps.map(({ actions, ...step }) => ({ ...step, ...(actions && { tools: actions.flatMap(toolFor) }) })),
      );
    },
    buildFileChangePrompt(change) {
      if ("delete" in change) return null;
      const input = { path: change.edit.path, content: change.edit.after };
      return scriptPrompt([{ tools: [{ name: "write_file", input }] }, { text: "Done." }]);
    },
    buildToolUsePrompt(use) {
      if ("fetch" in use) return null;
      const call =
        "read" in use
          ? { name: "read_file", input: { path: use.read } }
          : { name: "list_files", input: { path: use.search.folder } };
      return scriptPrompt([{ tools: [call] }, { text: "Done." }]);
    },
    buildOfferedToolPrompt: (tool, input) => scriptPrompt([{ tools: [{ name: tool, input }] }, { text: "Done." }]),
    buildServerToolPrompt: (server, tool, input) =>
      scriptPrompt([{ tools: [{ name: `mcp__${server}__${tool}`, input }] }, { text: "Done." }]),
    readOfferedTools: () => readOfferedTools(lab),
    async readModelContext() {
      return JSON.stringify(lab.requests.at(-1)?.body ?? "");
    },
    readRequestHeaders: () => lab.requests.map(({ headers }) => headers),
    readServedUsage: () => readLabUsage(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(action: BenchAction): ScriptToolCall[] {
  if ("write" in action) return [{ name: "write_file", input: action.write }];
  if ("read" in action) return [{ name: "read_file", input: { path: action.read } }];
  return "run" in action ? [{ name: "run_command", input: { command: action.run } }] : [];
}
