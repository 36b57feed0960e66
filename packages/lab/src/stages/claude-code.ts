import { dirname, join } from "node:path";
import type { Act, OpenStage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures, servedBy } from "./model-failures.ts";

/** How long it may keep trying, and how long a failing turn may take in all. */
const retryDeadline = 4000;
const patience = 20_000;

export const openClaudeCode: OpenStage = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  return {
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("claude-code"))}:${environment["PATH"] ?? ""}`,
      // Versions up to 2.0 ask for the sake of caches when they start. What that takes is reported whenever it is known,
      // in this turn or the next, so that no turn's figures could be foretold.
      DISABLE_PROMPT_CACHING: "1",
    },
    settings: { retryDeadline },
    patience,
    badSettings: { maxTurns: "many" },
    failures: modelFailures(lab),
    prompt(steps, workspace) {
      return script(
        steps.map(({ acts, ...step }) => ({
          ...step,
          ...(acts && { tools: acts.map((act) => toolFor(act, workspace)) }),
        })),
      );
    },
    async context() {
      // Side jobs, such as finding a title, have no script.
      return (
        lab.requests.map(({ body }) => JSON.stringify(body ?? "")).findLast((body) => body.includes("SCRIPT:")) ?? ""
      );
    },
    served: () => servedBy(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(act: Act, workspace: string): ToolCall {
  if ("write" in act) {
    return { name: "Write", input: { file_path: join(workspace, act.write.path), content: act.write.content } };
  }
  if ("run" in act) return { name: "Bash", input: { command: act.run, description: "Run a command" } };
  const { text, options, several } = act.ask;
  const described = options.map(({ label, description = label }) => ({ label, description }));
  const question = { question: text, header: "Question", multiSelect: several, options: described };
  return { name: "AskUserQuestion", input: { questions: [question] } };
}
