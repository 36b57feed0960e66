import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchAction, FailureCase, OpenTestBench } from "@fairlead/conformance";
import { withScript } from "@fairlead/kit";

/** The bench for the scripted agent. It needs no model, because it runs the script in its prompt. */
export const openScriptedBench: OpenTestBench = async (folder) => {
  const stateFolder = join(folder, "state");
  mkdirSync(stateFolder, { recursive: true });
  const failureCase = (status: number, category: FailureCase["category"]): FailureCase => ({
    name: `HTTP ${status}`,
    category,
    prompt: withScript("Please do this.", [{ error: { status } }]),
  });
  return {
    environment: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: stateFolder },
    turnTimeout: 5000,
    longTexts: true,
    badSettings: { color: "blue" },
    failures: [
      failureCase(400, "bad-request"),
      failureCase(401, "not-authenticated"),
      failureCase(500, "provider-failed"),
    ],
    buildPrompt(steps) {
      const scriptSteps = steps.map(({ actions, repeat = 1, ...step }) => ({
        ...step,
        ...(step.text !== undefined && { text: step.text.repeat(repeat) }),
        ...(actions && { tools: actions.map(toolFor) }),
      }));
      return withScript("Please do this.", scriptSteps);
    },
    buildFileChangePrompt(change) {
      if ("delete" in change) return null;
      const input = { path: change.edit.path, content: change.edit.after };
      return withScript("Please do this.", [{ tools: [{ name: "write", input }] }, { text: "Done." }]);
    },
    buildOfferedToolPrompt: (tool, input) =>
      withScript("Please do this.", [{ tools: [{ name: "use", input: { tool, input } }] }, { text: "Done." }]),
    async readModelContext() {
      const conversations = join(stateFolder, "fairlead-scripted");
      return readdirSync(conversations)
        .map((file) => readFileSync(join(conversations, file), "utf8"))
        .join("\n");
    },
    async [Symbol.asyncDispose]() {},
  };
};

function toolFor(action: BenchAction): object {
  if ("write" in action) return { name: "write", input: action.write };
  if ("read" in action) return { name: "run", input: { command: `cat ${action.read}` } };
  if ("run" in action) return { name: "run", input: { command: action.run } };
  const { multiSelect, ...question } = action.ask;
  // The scripted agent's own protocol names this field `several`.
  return { name: "ask", input: { questions: [{ ...question, several: multiSelect }] } };
}
