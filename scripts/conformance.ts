/**
 * Judges adapters on their real programs:
 * `npm run conformance -- [--agent ID] [--version V] [--all] [--only TEXT] [--record | --note | --live [--dollars N]]`.
 */
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import { judge, objections, readRecordings, report, Spending, type Verdict } from "@fairlead/conformance";
import { capabilitiesOf, type Adapter } from "@fairlead/contract";
import { agents, agentVersion, openLive, stages } from "@fairlead/lab";
import { knownFailures } from "../test/known-failures.ts";
import { noteCompatibility } from "./compatibility.ts";
import { keepRecording } from "./keep-recording.ts";
import { versions } from "./versions.ts";

const { values } = parseArgs({
  options: {
    agent: { type: "string" },
    /** Another version than the pinned one; it must be installed. */
    version: { type: "string" },
    /** Every version that we say we work with, of every agent. */
    all: { type: "boolean" },
    only: { type: "string" },
    /** How many situations at a time. */
    lanes: { type: "string", default: "1" },
    /** Keep what the program says as recordings, in place of the old ones. */
    record: { type: "boolean" },
    /** Write the verdicts into docs/compatibility.md. */
    note: { type: "boolean" },
    /** On the vendor's own service, with your own login, for your own money. */
    live: { type: "boolean" },
    dollars: { type: "string", default: "1" },
    tokens: { type: "string", default: "500000" },
  },
});
if (values.live === true && process.env["CI"] !== undefined) throw new Error("What costs money is not run in CI.");

let failed = false;
for (const adapter of adapters) {
  const { id } = adapter.manifest;
  if (values.agent !== undefined && values.agent !== id) continue;
  const pinned = agents.some((agent) => agent.id === id) ? agentVersion(id) : undefined;
  const wanted = values.all === true ? (versions[id] ?? [pinned]) : [values.version ?? pinned];
  for (const version of wanted) {
    if (version !== undefined) process.env["FAIRLEAD_AGENT_VERSIONS"] = `${id}=${version}`;
    console.log(`${id} ${values.live === true ? "live" : (version ?? "")}`.trimEnd());
    const verdicts = await judged(asOf(adapter, version ?? null));
    console.log(report(verdicts));
    const complete = values.only === undefined && values.live !== true;
    if (complete && objections(verdicts, knownFailures[id]).length > 0) failed = true;
    if (complete && values.note === true) noteCompatibility(id, version ?? adapter.manifest.version, verdicts);
  }
}
process.exitCode = failed ? 1 : 0;

/** The adapter as it declares itself for one version of the program. */
function asOf(adapter: Adapter, version: string | null): Adapter {
  return { ...adapter, manifest: { ...adapter.manifest, capabilities: capabilitiesOf(adapter.manifest, version) } };
}

async function judged(adapter: Adapter): Promise<Verdict[]> {
  const { id } = adapter.manifest;
  const openStage = values.live === true ? openLive(process.env) : stages[id];
  if (openStage === undefined) throw new Error(`The lab has no stage for ${id}.`);
  const folder = new URL(`../packages/adapters/src/${id}/fixtures/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  const spending = new Spending({ dollars: Number(values.dollars), tokens: Number(values.tokens) });
  const verdicts = await judge(adapter, openStage, {
    ...(values.only !== undefined && { only: values.only }),
    lanes: Number(values.lanes),
    ...(values.live === true && { spending }),
    // While recordings are being made anew, the old ones have no say.
    recordings: values.record === true || values.live === true ? [] : readRecordings(folder),
    onScenario(name, findings, rehearsal) {
      const broken = findings.filter((finding) => finding.broken !== null);
      console.log(`  ${broken.length === 0 ? "kept  " : "broken"} ${name}`);
      for (const finding of broken) console.log(`         ${finding.clause}: ${finding.broken}`);
      if (values.record === true && rehearsal !== undefined) keepRecording(name, rehearsal, folder);
    },
  });
  if (values.live === true)
    console.log(`  spent ${spending.total}${spending.exhausted === null ? "" : `; ${spending.exhausted}`}`);
  return verdicts;
}
