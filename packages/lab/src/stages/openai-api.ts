import { join } from "node:path";
import type { Act, Failure, OpenStage } from "@fairlead/conformance";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { Step, ToolCall } from "../step.ts";

/** How long the model may be silent, and how long a failing turn may take in all. */
const retryDeadline = 3000;
const patience = 15_000;

/** Our own agent on a Chat Completions API; the lab is that API. */
export const openOpenaiApi: OpenStage = async (folder) => {
  assertOffline();
  const lab = await openLab();
  return {
    environment: {
      ...isolatedEnvironment(folder, lab),
      XDG_STATE_HOME: join(folder, "state"),
      OPENAI_BASE_URL: `${lab.url}/v1`,
      OPENAI_API_KEY: "a-key-of-the-lab",
    },
    settings: { retryDeadline },
    patience,
    badSettings: { maxTurns: "many" },
    failures: failuresOf(lab),
    prompt(steps) {
      if (steps.some(({ acts }) => acts?.some((act) => "ask" in act))) return null;
      return script(steps.map(({ acts, ...step }) => ({ ...step, ...(acts && { tools: acts.flatMap(toolFor) }) })));
    },
    async context() {
      return JSON.stringify(lab.requests.at(-1)?.body ?? "");
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

function toolFor(act: Act): ToolCall[] {
  if ("write" in act) return [{ name: "write_file", input: act.write }];
  return "run" in act ? [{ name: "run_command", input: { command: act.run } }] : [];
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
    failing("cut stream", "connection-lost", { text: "This will be cut off.", cut: true }),
    failing("hung model", "timed-out", { text: "Never said.", hang: true }),
    {
      ...failing("connection refused", "unreachable", { text: "Never said." }),
      async arrange() {
        lab.refuse();
        return { [Symbol.asyncDispose]: () => lab.accept() };
      },
    },
  ];
}
