/** The part of `fairlead drift` that runs without a network: `node drift-offline.ts OPTIONS` prints the drift as JSON. */
import { adapters } from "@fairlead/adapters";
import { compare, perform, type Performance } from "@fairlead/conformance";
import { stages } from "@fairlead/lab";

interface Options {
  readonly agent: string;
  readonly versions: readonly string[];
  readonly only?: string;
}

const { agent, versions, only } = JSON.parse(process.argv[2] ?? "") as Options;
const adapter = adapters.find(({ manifest }) => manifest.id === agent);
const openStage = stages[agent];
if (adapter === undefined || openStage === undefined) throw new Error(`There is no stage for "${agent}".`);
const performances: Performance[] = [];
for (const version of versions) {
  process.env["FAIRLEAD_AGENT_VERSIONS"] = `${agent}=${version}`;
  process.stderr.write(`${agent} ${version} on the stage\n`);
  performances.push(await perform(adapter, openStage, only));
}
const [before, after] = performances;
if (before === undefined || after === undefined) throw new Error("Two versions are wanted.");
console.log(JSON.stringify(compare(before, after)));
