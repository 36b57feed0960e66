import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BenchAction, OpenTestBench } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../offline.ts";
import { isolatedEnvironment, labApiKey } from "../isolated-environment.ts";
import { openLab, type Lab } from "../lab.ts";
import { scriptPrompt, type ScriptToolCall } from "../script.ts";
import { modelFailures, readLabUsage } from "./model-failures.ts";

/** Milliseconds. The program takes 15 s to start, and a minute on a busy machine. */
const turnTimeout = 150_000;

export const openOpenclawBench: OpenTestBench = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const configuration = join(environment["HOME"] ?? folder, ".openclaw");
  mkdirSync(configuration, { recursive: true });
  writeFileSync(join(configuration, "openclaw.json"), JSON.stringify(configurationFor(lab, join(folder, "elsewhere"))));
  return {
    services: [lab.url],
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("openclaw"))}:${environment["PATH"] ?? ""}`,
      // Without a shared cache the program is compiled at every start, because the folder of a bench is always new.
      NODE_COMPILE_CACHE: join(tmpdir(), "fairlead-lab-compile-cache"),
    },
    settings: { retryDeadline: 3000 },
    turnTimeout,
    badSettings: { retryDeadline: "soon" },
    failures: modelFailures(lab, { hangSettings: { turnDeadline: 20_000 } }),
    buildPrompt(steps) {
      if (steps.some(({ actions }) => actions?.some((action) => "ask" in action))) return null;
      return scriptPrompt(
        steps.map(({ actions, ...step }) => ({
          ...step,
          ...(actions && { tools: actions.flatMap((action) => toolFor(action)) }),
        })),
      );
    },
    async readModelContext() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    readServedUsage: () => readLabUsage(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

/**
 * Builds a user's configuration with the lab as provider, and with a default workspace that the adapter must override.
 */
function configurationFor(lab: Lab, unusedWorkspace: string): object {
  const cost = { input: 1, output: 1, cacheRead: 0.1, cacheWrite: 1 };
  const sizes = { contextWindow: 128_000, maxTokens: 8192 };
  const model = { id: "lab-model", name: "Lab", reasoning: false, input: ["text"], cost, ...sizes };
  const provider = { baseUrl: lab.url, apiKey: labApiKey, api: "anthropic-messages", models: [model] };
  return {
    models: { mode: "replace", providers: { lab: provider } },
    agents: { defaults: { model: { primary: "lab/lab-model" }, workspace: unusedWorkspace } },
  };
}

function toolFor(action: BenchAction): ScriptToolCall[] {
  if ("write" in action) return [{ name: "write", input: { path: action.write.path, content: action.write.content } }];
  // A command that exceeds `yieldMs` continues in the background. The limit is high, so that the turn waits for it.
  return "run" in action ? [{ name: "exec", input: { command: action.run, yieldMs: 120_000 } }] : [];
}
