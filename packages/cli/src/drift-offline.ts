/** The part of `fairlead drift` that runs without a network: `node drift-offline.ts OPTIONS` prints the drift as JSON. */
import { adapters } from "@fairlead/adapters";
import { compareBehavior, observeBehavior, type AgentBehavior } from "@fairlead/conformance";
import { testBenches } from "@fairlead/lab";

interface DriftRunOptions {
  readonly agent: string;
  readonly versions: readonly string[];
  readonly only?: string;
}

const { agent, versions, only } = JSON.parse(process.argv[2] ?? "") as DriftRunOptions;
const adapter = adapters.find(({ manifest }) => manifest.id === agent);
const openBench = testBenches[agent];
if (adapter === undefined || openBench === undefined) throw new Error(`The lab has no test bench for "${agent}".`);
const versionRuns: AgentBehavior[] = [];
for (const version of versions) {
  process.env["FAIRLEAD_AGENT_VERSIONS"] = `${agent}=${version}`;
  process.stderr.write(`Running the scenarios with ${agent} ${version}.\n`);
  versionRuns.push(await observeBehavior(adapter, openBench, only));
}
const [before, after] = versionRuns;
if (before === undefined || after === undefined) throw new Error("drift-offline needs two versions.");
console.log(JSON.stringify(compareBehavior(before, after)));
