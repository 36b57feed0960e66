import { join } from "node:path";
import type { Act, OpenStage } from "@fairlead/conformance";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures, servedBy } from "./model-failures.ts";

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
    failures: modelFailures(lab),
    prompt(steps) {
      if (steps.some(({ acts }) => acts?.some((act) => "ask" in act))) return null;
      return script(steps.map(({ acts, ...step }) => ({ ...step, ...(acts && { tools: acts.flatMap(toolFor) }) })));
    },
    async context() {
      return JSON.stringify(lab.requests.at(-1)?.body ?? "");
    },
    served: () => servedBy(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(act: Act): ToolCall[] {
  if ("write" in act) return [{ name: "write_file", input: act.write }];
  return "run" in act ? [{ name: "run_command", input: { command: act.run } }] : [];
}
