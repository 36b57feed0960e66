/**
 * Judges adapters on their real programs:
 * `npm run conformance -- [--agent ID] [--version V] [--all] [--only TEXT | --added] [--sandbox | --gate] [--record | --note]`.
 * On the vendor's own service: `node scripts/conformance.ts --agent ID --live [--dollars N] [--tokens N]`. The npm script
 * cannot do this, because it runs without a network.
 */
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import {
  judge,
  findUnexpectedVerdicts,
  readRecordings,
  formatVerdicts,
  saveRecording,
  Spending,
  type Verdict,
} from "@fairlead/conformance";
import { capabilitiesOf, type Adapter, type ClauseId } from "@fairlead/contract";
import { labAgents, resolveAgentVersion, openLiveBench, testBenches } from "@fairlead/lab";
import { knownFailures } from "../test/known-failures.ts";
import { addToCompatibility, findAddedClauses, recordCompatibility } from "./compatibility.ts";
import { supportedVersions } from "./versions.ts";

const { values } = parseArgs({
  options: {
    agent: { type: "string" },
    /** Judge another version than the pinned one. It must be installed. */
    version: { type: "string" },
    /** Judge every supported version of every agent. */
    all: { type: "boolean" },
    only: { type: "string" },
    /** Judge the agent in a sandbox. */
    sandbox: { type: "boolean" },
    /** Judge the agent in a sandbox with a network gate. */
    gate: { type: "boolean" },
    /** Judge only the clauses that the stored verdicts lack. With --note, they are added to the stored ones. */
    added: { type: "boolean" },
    /** Number of scenarios to run at the same time. */
    lanes: { type: "string", default: "1" },
    /** Store the spools as recordings and replace the old ones. */
    record: { type: "boolean" },
    /** Store the verdicts and write docs/status/compatibility.md. */
    note: { type: "boolean" },
    /** Use the vendor's own service with your login. This costs money. */
    live: { type: "boolean" },
    dollars: { type: "string", default: "1" },
    tokens: { type: "string", default: "500000" },
  },
});
if (values.live === true && process.env["CI"] !== undefined)
  throw new Error("--live does not run in CI, because it costs money. Run it by hand.");

let failed = false;
for (const adapter of adapters) {
  const { id } = adapter.manifest;
  if (values.agent !== undefined && values.agent !== id) continue;
  const pinned = labAgents.some((agent) => agent.id === id) ? resolveAgentVersion(id) : undefined;
  const versions = values.all === true ? (supportedVersions[id] ?? [pinned]) : [values.version ?? pinned];
  for (const version of versions) {
    if (version !== undefined) process.env["FAIRLEAD_AGENT_VERSIONS"] = `${id}=${version}`;
    console.log(`${id} ${values.live === true ? "live" : (version ?? "")}`.trimEnd());
    const judged = withCapabilitiesFor(adapter, version ?? null);
    const added = values.added === true ? findAddedClauses(id, version ?? adapter.manifest.version, judged) : undefined;
    const verdicts = await judgeAdapter(judged, added);
    console.log(formatVerdicts(verdicts));
    if (added !== undefined && values.note === true) {
      addToCompatibility(id, version ?? adapter.manifest.version, verdicts, added);
      continue;
    }
    const isComplete = values.only === undefined && values.live !== true && added === undefined;
    if (isComplete && findUnexpectedVerdicts(verdicts, knownFailures[id]).length > 0) failed = true;
    if (isComplete && values.note === true) recordCompatibility(id, version ?? adapter.manifest.version, verdicts);
  }
}
process.exitCode = failed ? 1 : 0;

/** Returns the adapter with the capabilities that it declares for one version of the program. */
function withCapabilitiesFor(adapter: Adapter, version: string | null): Adapter {
  return { ...adapter, manifest: { ...adapter.manifest, capabilities: capabilitiesOf(adapter.manifest, version) } };
}

async function judgeAdapter(adapter: Adapter, onlyClauses?: readonly ClauseId[]): Promise<Verdict[]> {
  const { id } = adapter.manifest;
  const openBench = values.live === true ? openLiveBench(process.env) : testBenches[id];
  if (openBench === undefined)
    throw new Error(`${id} cannot be judged: the lab has no test bench for it. Add one in packages/lab/src/benches.`);
  const folder = new URL(`../packages/adapters/src/${id}/fixtures/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  const spending = new Spending({ dollars: Number(values.dollars), tokens: Number(values.tokens) });
  const verdicts = await judge(adapter, openBench, {
    ...(values.only !== undefined && { only: values.only }),
    ...(onlyClauses !== undefined && { onlyClauses }),
    ...((values.sandbox === true || values.gate === true) && { sandbox: "bwrap" }),
    ...(values.gate === true && { network: "gate" }),
    concurrency: Number(values.lanes),
    ...(values.live === true && { spending }),
    // The old recordings do not count while they are being replaced.
    recordings: values.record === true || values.live === true ? [] : readRecordings(folder),
    onScenario(name, findings, run) {
      const broken = findings.filter((finding) => finding.problem !== null);
      console.log(`  ${broken.length === 0 ? "kept  " : "broken"} ${name}`);
      for (const finding of broken) console.log(`         ${finding.clause}: ${finding.problem}`);
      if (values.record === true && run !== undefined) saveRecording(name, run, folder);
    },
  });
  if (values.live === true)
    console.log(`  spent ${spending.total}${spending.exhaustedReason === null ? "" : `; ${spending.exhaustedReason}`}`);
  return verdicts;
}
