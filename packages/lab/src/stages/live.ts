import type { Act, ModelStep, OpenStage } from "@fairlead/conformance";

/** Longer than any vendor takes for a sentence. */
const patience = 120_000;

/**
 * The vendor's own service, with the user's own login: no script, so the model is asked in plain words to do what a
 * script would have it do. Nobody can make such a service fail on demand, or see what it has served.
 */
export function openLive(environment: Readonly<Record<string, string | undefined>>): OpenStage {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return async () => ({
    environment: Object.fromEntries(set),
    patience,
    badSettings: { "no-such-setting": true },
    failures: [],
    prompt: (steps) => inWords(steps),
    async [Symbol.asyncDispose]() {},
  });
}

/** What a model is to do, so plainly that it does nothing else. */
export function inWords(steps: readonly ModelStep[]): string {
  const orders = steps.flatMap(({ acts = [], text }) => [
    ...acts.map((act) => actInWords(act, acts.length > 1)),
    ...(text === undefined ? [] : [`Then reply with exactly this and nothing else: ${text}`]),
  ]);
  return ["This is a test. Do exactly these steps, in this order, and nothing else.", ...numbered(orders)].join("\n");
}

function actInWords(act: Act, together: boolean): string {
  const how = together ? " in the same message as the other tool calls" : "";
  if ("write" in act) {
    const content = JSON.stringify(act.write.content);
    return `Use your file-writing tool${how} to create ${act.write.path} with exactly this content: ${content}`;
  }
  if ("run" in act) return `Use your shell tool${how} to run exactly this command: ${act.run}`;
  const options = act.ask.options.map(({ label }) => label).join(", ");
  return `Use your question tool${how} to ask "${act.ask.text}" with the options ${options}.`;
}

function numbered(orders: readonly string[]): string[] {
  return orders.map((order, at) => `${at + 1}. ${order}`);
}
