import { labAgents, resolveAgentVersion } from "@fairlead/lab";
import { runQuietly } from "../scripts/run.ts";

/** The judge's results for one agent. */
export interface BenchResult {
  readonly agent: string;
  readonly version: string;
  /** MUST clauses that hold, of those that a scenario exercised. */
  readonly kept: number;
  readonly total: number;
  readonly scenarios: number;
  /** The scenarios in which a clause does not hold. */
  readonly brokenScenarios: readonly string[];
  /** The exercised clauses, and whether each holds. */
  readonly clauses: ReadonlyMap<string, boolean>;
  readonly output: string;
}

interface JudgeOptions {
  /** Only scenarios with this text in their name. */
  readonly only?: string;
  readonly version?: string;
  /** Judges the agent in a sandbox with this network. */
  readonly network?: "gate";
}

const results = new Map<string, Promise<BenchResult>>();

/** Judges an agent's real program offline. Claims about the same agent and scenarios share one run. */
export function judgeAgent(agent: string, options: JudgeOptions = {}): Promise<BenchResult> {
  const key = JSON.stringify([agent, options.only, options.version, options.network]);
  const result = results.get(key) ?? runJudge(agent, options);
  results.set(key, result);
  return result;
}

async function runJudge(agent: string, options: JudgeOptions): Promise<BenchResult> {
  const isProgram = labAgents.some(({ id }) => id === agent);
  const version = options.version ?? (isProgram ? resolveAgentVersion(agent) : "ours");
  if (isProgram) {
    process.env["FAIRLEAD_AGENT_VERSIONS"] = `${agent}=${version}`;
    // A version without a number was installed by hand.
    const isNumbered = /^\d/.test(version);
    const installed = isNumbered ? await runQuietly("node", ["scripts/install-agents.ts", agent]) : null;
    if (installed !== null && installed.code !== 0) throw new Error(installed.output);
  }
  const args = ["node", "scripts/conformance.ts", "--agent", agent];
  if (isProgram) args.push("--version", version);
  if (options.only !== undefined) args.push("--only", options.only);
  if (options.network === "gate") args.push("--gate");
  const { output } = await runQuietly("scripts/offline", args);
  delete process.env["FAIRLEAD_AGENT_VERSIONS"];
  const scenarioLines = [...output.matchAll(/^ {2}(kept|broken) {1,3}(?!.*\b(?:must|should)\b)(.+)$/gm)];
  const clauseLines = [...output.matchAll(/^ {2}(kept|broken) +([\w-]+:[\w-]+) +must +(\d+) of (\d+)/gm)];
  const [, kept = "0", total = "0"] = /(\d+) of (\d+) MUST clauses kept/.exec(output) ?? [];
  return {
    agent,
    version,
    kept: Number(kept),
    total: Number(total),
    scenarios: scenarioLines.length,
    brokenScenarios: scenarioLines.filter(([, what]) => what === "broken").map(([, , name]) => name ?? ""),
    clauses: new Map(clauseLines.map(([, what, clause = ""]) => [clause, what === "kept"])),
    output,
  };
}
