import type { BenchAction, ModelStep, OpenTestBench, ToolUse } from "@fairlead/conformance";

/** Milliseconds. Longer than any vendor takes for one sentence. */
const turnTimeout = 120_000;

/**
 * Creates test benches on the vendor's own service, with the login of the user. There is no script, so the prompt asks
 * the model in plain words to perform the steps. The bench has no failure cases and no served usage, because the
 * service offers neither.
 */
export function openLiveBench(environment: Readonly<Record<string, string | undefined>>): OpenTestBench {
  const definedVariables = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return async () => ({
    environment: Object.fromEntries(definedVariables),
    turnTimeout,
    badSettings: { "no-such-setting": true },
    failures: [],
    buildPrompt: (steps) => describeSteps(steps),
    buildToolUsePrompt: (use) => describeToolUse(use),
    async [Symbol.asyncDispose]() {},
  });
}

/** Describes steps in plain words, so that a model performs them and nothing else. */
export function describeSteps(steps: readonly ModelStep[]): string {
  const instructions = steps.flatMap(({ actions = [], text }) => [
    ...actions.map((action) => describeAction(action, actions.length > 1)),
    ...(text === undefined ? [] : [`Then reply with exactly this and nothing else: ${text}`]),
  ]);
  return [
    "This is a test. Do exactly these steps, in this order, and nothing else.",
    ...numberLines(instructions),
  ].join("\n");
}

function describeToolUse(use: ToolUse): string {
  if ("read" in use) return `This is a test. Use your tool for reading files to read ${use.read}, and nothing else.`;
  if ("fetch" in use)
    return `This is a test. Use your tool for reading web pages to get ${use.fetch}, and nothing else.`;
  const { text, folder } = use.search;
  return `This is a test. Use your tool for searching files to look for "${text}" in the folder ${folder}, and nothing else.`;
}

function describeAction(action: BenchAction, isParallel: boolean): string {
  const inSameMessage = isParallel ? " in the same message as the other tool calls" : "";
  if ("write" in action) {
    const content = JSON.stringify(action.write.content);
    return `Use your file-writing tool${inSameMessage} to create ${action.write.path} with exactly this content: ${content}`;
  }
  if ("read" in action) return `Use your file-reading tool${inSameMessage} to read ${action.read}.`;
  if ("run" in action) return `Use your shell tool${inSameMessage} to run exactly this command: ${action.run}`;
  const options = action.ask.options.map(({ label }) => label).join(", ");
  return `Use your question tool${inSameMessage} to ask "${action.ask.text}" with the options ${options}.`;
}

function numberLines(instructions: readonly string[]): string[] {
  return instructions.map((instruction, index) => `${index + 1}. ${instruction}`);
}
