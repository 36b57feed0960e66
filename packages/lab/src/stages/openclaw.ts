import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Act, OpenStage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures, servedBy } from "./model-failures.ts";

/** It takes a quarter of a minute to begin, and a whole one while other things run. */
const patience = 150_000;

export const openOpenclaw: OpenStage = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const configuration = join(environment["HOME"] ?? folder, ".openclaw");
  mkdirSync(configuration, { recursive: true });
  writeFileSync(join(configuration, "openclaw.json"), JSON.stringify(configurationFor(lab, join(folder, "elsewhere"))));
  return {
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("openclaw"))}:${environment["PATH"] ?? ""}`,
      // Its program is compiled at every start otherwise, since a stage's own folder is always new.
      NODE_COMPILE_CACHE: join(tmpdir(), "fairlead-lab-compile-cache"),
    },
    settings: { retryDeadline: 3000 },
    patience,
    badSettings: { retryDeadline: "soon" },
    failures: modelFailures(lab, { hung: { turnDeadline: 20_000 } }),
    prompt(steps) {
      if (steps.some(({ acts }) => acts?.some((act) => "ask" in act))) return null;
      return script(
        steps.map(({ acts, ...step }) => ({ ...step, ...(acts && { tools: acts.flatMap((act) => toolFor(act)) }) })),
      );
    },
    async context() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    served: () => servedBy(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

/** A configuration as a user has one: with the lab for a provider, and a workspace of its own that is not to be used. */
function configurationFor(lab: Lab, elsewhere: string): object {
  const cost = { input: 1, output: 1, cacheRead: 0.1, cacheWrite: 1 };
  const sizes = { contextWindow: 128_000, maxTokens: 8192 };
  const model = { id: "lab-model", name: "Lab", reasoning: false, input: ["text"], cost, ...sizes };
  const provider = { baseUrl: lab.url, apiKey: "a-key-of-the-lab", api: "anthropic-messages", models: [model] };
  return {
    models: { mode: "replace", providers: { lab: provider } },
    agents: { defaults: { model: { primary: "lab/lab-model" }, workspace: elsewhere } },
  };
}

function toolFor(act: Act): ToolCall[] {
  if ("write" in act) return [{ name: "write", input: { path: act.write.path, content: act.write.content } }];
  // A command that takes longer than it may hold up a turn goes on beside it.
  return "run" in act ? [{ name: "exec", input: { command: act.run, yieldMs: 120_000 } }] : [];
}
