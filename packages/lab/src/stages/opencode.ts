import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Act, OpenStage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures, servedBy } from "./model-failures.ts";

/** How long it may keep trying, and how long a failing turn may take in all. */
const retryDeadline = 4000;
const patience = 20_000;

/** Of what it tries again it hands on the vendor's words, and no number. */
const words = { 429: "Rate limit reached for requests.", 500: "The server had an error." };

export const openOpencode: OpenStage = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const configuration = join(folder, "opencode.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(configuration, JSON.stringify(configurationFor(lab)));
  return {
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("opencode"))}:${environment["PATH"] ?? ""}`,
      OPENCODE_CONFIG: configuration,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    patience,
    badSettings: { maxTurns: "many" },
    failures: modelFailures(lab, { settings: { retryDeadline }, words }),
    prompt(steps, workspace) {
      if (steps.some(({ acts }) => acts?.some((act) => "ask" in act))) return null;
      return script(
        steps.map(({ acts, ...step }) => ({
          ...step,
          ...(acts && { tools: acts.flatMap((act) => toolFor(act, workspace)) }),
        })),
      );
    },
    async context() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    served: () => servedBy(lab),
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
  const options = { baseURL: `${lab.url}/v1`, apiKey: "a-key-of-the-lab" };
  return {
    provider: { lab: { npm: "@ai-sdk/openai-compatible", options, models: { "lab-model": model } } },
    model: "lab/lab-model",
    small_model: "lab/lab-model",
    enabled_providers: ["lab"],
  };
}

function toolFor(act: Act, workspace: string): ToolCall[] {
  if ("write" in act) {
    const { path, content } = act.write;
    return [{ name: "write", input: { filePath: join(workspace, path), content } }];
  }
  return "run" in act ? [{ name: "bash", input: { command: act.run, description: "Run a command" } }] : [];
}
