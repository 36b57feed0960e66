import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Act, OpenStage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures } from "./model-failures.ts";

/** How long it may be silent, and how long a failing turn may take in all. */
const retryDeadline = 4000;
const patience = 20_000;

/** By itself it tries ten times, without a word; its user can have it try less often, and then it says what was wrong. */
const userSettings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, maxAttempts: 2 },
};

export const openGeminiCli: OpenStage = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const home = join(environment["HOME"] ?? folder, ".gemini");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "settings.json"), JSON.stringify(userSettings));
  return {
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("gemini-cli"))}:${environment["PATH"] ?? ""}`,
      GEMINI_API_KEY: "a-key-of-the-lab",
      GOOGLE_GEMINI_BASE_URL: lab.url,
    },
    // A vague name makes it ask a model first which model to ask. "flash" it takes for whatever flash its version likes
    // best, and then it tells of the first turn under the name that it was given, and of the others under the true one.
    settings: { model: "gemini-2.5-flash-lite" },
    patience,
    badSettings: { maxTurns: "many" },
    failures: modelFailures(lab, { hung: { retryDeadline } }),
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
    served() {
      return lab.served
        .filter((served) => served.complete)
        .map(({ model, input, cacheRead, output }) => ({
          model,
          // Its protocol does not say which tokens came out of a cache: they are among the others.
          tokens: { uncached: input + cacheRead, cacheRead: 0, cacheWrite: 0, output },
        }));
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(act: Act, workspace: string): ToolCall[] {
  if ("write" in act) {
    const { path, content } = act.write;
    return [{ name: "write_file", input: { file_path: join(workspace, path), content } }];
  }
  return "run" in act ? [{ name: "run_shell_command", input: { command: act.run, description: "Run a command" } }] : [];
}
