import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchAction, FailureCase, OpenTestBench, ToolUse } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment, labApiKey } from "../isolated-environment.ts";
import { openLab, type Lab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { modelFailures } from "./model-failures.ts";

const turnTimeout = 20_000;
const shortWaits = { toolDeadline: 3000 };

export const openAmpBench: OpenTestBench = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const settingsFile = join(folder, "home/.config/amp/settings.json");
  mkdirSync(dirname(settingsFile), { recursive: true });
  // Amp asks before it writes a file below /var, which it takes for one of the system. In a sandbox, workspaces are in /var/tmp.
  writeFileSync(settingsFile, JSON.stringify({ "amp.guardedFiles.allowlist": [join(dirname(folder), "**")] }));
  return {
    services: [lab.url],
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("amp"))}:${environment["PATH"] ?? ""}`,
      AMP_URL: lab.url,
      AMP_API_KEY: labApiKey,
    },
    turnTimeout,
    shortWaits,
    badSettings: { toolDeadline: "soon" },
    failures: listFailureCases(lab),
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
      const input = { path: join(workspace, path), old_str: before, new_str: after };
      return scriptPrompt([{ tools: [{ name: "edit_file", input }] }, { text: "Done." }]);
    },
    buildToolUsePrompt: (use, workspace) => scriptPrompt([{ tools: [toolUseFor(use, workspace)] }, { text: "Done." }]),
    async readModelContext() {
      const modelRequests = lab.requests.filter(({ path }) => path.endsWith("/v1/messages"));
      return JSON.stringify(modelRequests.at(-1)?.body ?? "");
    },
    readServedUsage() {
      return lab.servedAnswers
        .filter((served) => served.complete)
        .map(({ model, input, cacheRead, cacheWrite, output }) => ({
          // Amp reports the name of its mode instead of the model.
          model: model.includes("opus") ? "smart" : model,
          tokens: { uncached: input, cacheRead, cacheWrite, output },
        }));
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(action: BenchAction, workspace: string): ScriptToolCall[] {
  if ("write" in action) {
    return [
      { name: "create_file", input: { path: join(workspace, action.write.path), content: action.write.content } },
    ];
  }
  return "run" in action ? [{ name: "Bash", input: { cmd: action.run, cwd: workspace } }] : [];
}

function listFailureCases(lab: Lab): FailureCase[] {
  const gitPush = { tools: [{ name: "Bash", input: { cmd: "git push" } }] };
  return [
    ...modelFailures(lab, { hangSettings: { retryDeadline: 5000 } }),
    { name: "HTTP 529", category: "provider-failed", prompt: scriptPrompt([{ error: { status: 529 } }]) },
    {
      name: "command that it would ask about",
      category: "timed-out",
      prompt: scriptPrompt([gitPush]),
      settings: shortWaits,
    },
  ];
}

function toolUseFor(use: ToolUse, workspace: string): ScriptToolCall {
  if ("read" in use) return { name: "Read", input: { path: join(workspace, use.read) } };
  if ("fetch" in use) return { name: "read_web_page", input: { url: use.fetch } };
  return { name: "Grep", input: { pattern: use.search.text, path: join(workspace, use.search.folder) } };
}
