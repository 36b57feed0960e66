import { runQuietly } from "../../scripts/run.ts";

/** Runs a scenario with real agents in the offline namespace, and returns the JSON values that it prints. */
export async function runScenario<Result>(file: string, ...args: string[]): Promise<Result[]> {
  const { code, output } = await runQuietly("scripts/offline", ["node", `claims/${file}`, ...args]);
  if (code !== 0) throw new Error(output);
  return output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Result] : []));
}
