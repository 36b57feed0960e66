import { dirname, join } from "node:path";
import type { Act, Failure, OpenStage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures } from "./model-failures.ts";

const patience = 20_000;

export const openAmp: OpenStage = async (folder) => {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  return {
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("amp"))}:${environment["PATH"] ?? ""}`,
      AMP_URL: lab.url,
      AMP_API_KEY: "a-key-of-the-lab",
    },
    patience,
    badSettings: { toolDeadline: "soon" },
    failures: failuresOf(lab),
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
      const asked = lab.requests.filter(({ path }) => path.endsWith("/v1/messages"));
      return JSON.stringify(asked.at(-1)?.body ?? "");
    },
    served() {
      return lab.served
        .filter((served) => served.complete)
        .map(({ model, input, cacheRead, cacheWrite, output }) => ({
          // It tells of its way of working, and never of the model behind it.
          model: model.includes("opus") ? "smart" : model,
          tokens: { uncached: input, cacheRead, cacheWrite, output },
        }));
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
};

function toolFor(act: Act, workspace: string): ToolCall[] {
  if ("write" in act) {
    return [{ name: "create_file", input: { path: join(workspace, act.write.path), content: act.write.content } }];
  }
  return "run" in act ? [{ name: "Bash", input: { cmd: act.run, cwd: workspace } }] : [];
}

function failuresOf(lab: Lab): Failure[] {
  const push = { tools: [{ name: "Bash", input: { cmd: "git push" } }] };
  return [
    ...modelFailures(lab, { hung: { retryDeadline: 5000 } }),
    { name: "HTTP 529", category: "provider-failed", prompt: script([{ error: { status: 529 } }]) },
    {
      name: "command that it would ask about",
      category: "timed-out",
      prompt: script([push]),
      settings: { toolDeadline: 3000 },
    },
  ];
}
