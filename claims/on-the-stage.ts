import { agents, agentVersion } from "@fairlead/lab";
import { runQuietly } from "../scripts/run.ts";

/** What the judge said of one agent. */
export interface Judged {
  readonly agent: string;
  readonly version: string;
  /** MUST clauses kept, of those that were put to the test. */
  readonly kept: number;
  readonly of: number;
  readonly scenarios: number;
  /** The scenarios in which a clause was broken. */
  readonly broken: readonly string[];
  /** The clauses that were put to the test, and whether each was kept. */
  readonly clauses: ReadonlyMap<string, boolean>;
  readonly output: string;
}

/** Puts an agent's real program on its stage, without a network, in all situations or in those with a text in their name. */
export async function onTheStage(agent: string, options: { only?: string; version?: string } = {}): Promise<Judged> {
  const isProgram = agents.some(({ id }) => id === agent);
  const version = options.version ?? (isProgram ? agentVersion(agent) : "ours");
  if (isProgram) {
    process.env["FAIRLEAD_AGENT_VERSIONS"] = `${agent}=${version}`;
    // What has no number was put there by hand.
    const isNumbered = /^\d/.test(version);
    const installed = isNumbered ? await runQuietly("node", ["scripts/install-agents.ts", agent]) : null;
    if (installed !== null && installed.code !== 0) throw new Error(installed.output);
  }
  const args = ["node", "scripts/conformance.ts", "--agent", agent];
  if (isProgram) args.push("--version", version);
  if (options.only !== undefined) args.push("--only", options.only);
  const { output } = await runQuietly("scripts/offline", args);
  delete process.env["FAIRLEAD_AGENT_VERSIONS"];
  const scenes = [...output.matchAll(/^ {2}(kept|broken) {1,3}(?!.*\b(?:must|should)\b)(.+)$/gm)];
  const verdicts = [...output.matchAll(/^ {2}(kept|broken) +(\w+:\w+) +must +(\d+) of (\d+)/gm)];
  const [, kept = "0", of = "0"] = /(\d+) of (\d+) MUST clauses kept/.exec(output) ?? [];
  return {
    agent,
    version,
    kept: Number(kept),
    of: Number(of),
    scenarios: scenes.length,
    broken: scenes.filter(([, what]) => what === "broken").map(([, , name]) => name ?? ""),
    clauses: new Map(verdicts.map(([, what, clause = ""]) => [clause, what === "kept"])),
    output,
  };
}
