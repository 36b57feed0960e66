import { dirname, join } from "node:path";
import type { Act, Failure, OpenStage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { Step, ToolCall } from "../step.ts";

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
    failures: failuresOf(lab),
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
    served() {
      return lab.served
        .filter((served) => served.complete)
        .map(({ model, input, cacheRead, cacheWrite, output }) => ({
          model,
          tokens: { uncached: input, cacheRead, cacheWrite, output },
        }));
    },
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

function failuresOf(lab: Lab): Failure[] {
  const failing = (name: string, category: Failure["category"], step: Step): Failure => ({
    name,
    category,
    prompt: script([step]),
  });
  return [
    failing("HTTP 400", "bad-request", { error: { status: 400 } }),
    failing("HTTP 401", "not-authenticated", { error: { status: 401 } }),
    failing("HTTP 429", "rate-limited", { error: { status: 429 } }),
    failing("HTTP 500", "provider-failed", { error: { status: 500 } }),
    failing("model that never answers", "timed-out", { hang: true }),
    failing("cut stream", "connection-lost", { text: "This will be cut off.", cut: true }),
    {
      ...failing("connection refused", "unreachable", { text: "Never said." }),
      async arrange() {
        lab.refuse();
        return { [Symbol.asyncDispose]: () => lab.accept() };
      },
    },
  ];
}
