import { runQuietly } from "../../scripts/run.ts";

/** Runs a program of a claim without a network. Returns what its last line has as JSON, and prints the others. */
export async function runProgram<Result>(path: string, options: object): Promise<Result> {
  const { code, output } = await runQuietly("scripts/offline", ["node", `claims/${path}`, JSON.stringify(options)]);
  const lines = output.split("\n");
  const result = lines.findLast((line) => line.startsWith("{"));
  for (const line of lines) if (line !== "" && line !== result) console.log(line);
  if (code !== 0 || result === undefined) throw new Error(`${path} failed.`);
  return JSON.parse(result) as Result;
}
