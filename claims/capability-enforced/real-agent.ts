/** Makes every call that an agent must refuse, and prints the report: `scripts/offline node real-agent.ts OPTIONS`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { LocalFairlead } from "@fairlead/service";
import { TestHome } from "../../measure/test-home.ts";
import { RefusalRun } from "./refusals.ts";

export interface EnforcementOptions {
  readonly agent: string;
  /** Probes the program as if it lacked the flag that the main protocol needs. */
  readonly usesFallback?: boolean;
  /** For the control: the manifest declares `edited-approvals`, so that the check lets an edit pass. */
  readonly checkOff?: boolean;
}

const { agent, usesFallback = false, checkOff = false } = JSON.parse(process.argv[2] ?? "") as EnforcementOptions;
const openBench = testBenches[agent];
const known = adapters.find(({ manifest }) => manifest.id === agent);
if (openBench === undefined || known === undefined) throw new Error(`The lab has no test bench for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
await using bench = await openBench(folder);
await using testHome = new TestHome();
const adapter = change(known);
await using fairlead = await LocalFairlead.open({
  home: testHome.home,
  adapters: [adapter],
  environment: bench.environment,
  // What it records when it finds files would look like an effect of a call.
  observeFiles: false,
});
// A fallback protocol cannot ask, so its sessions use a mode that allows edits.
const mode = usesFallback ? ("accept-edits" as const) : undefined;
const run = new RefusalRun({ fairlead, testHome, bench, adapter, ...(mode && { mode }) });
console.log(JSON.stringify(checkOff ? await run.runControl() : await run.run()));

function change(original: Adapter): Adapter {
  const { manifest } = original;
  const missingFlag = manifest.fallback?.missingFlag;
  return {
    ...original,
    manifest: checkOff ? { ...manifest, capabilities: [...manifest.capabilities, "edited-approvals"] } : manifest,
    async probe(host) {
      const probeResult = await original.probe(host);
      if (!usesFallback) return probeResult;
      return { ...probeResult, flags: probeResult.flags.filter((flag) => flag !== missingFlag) };
    },
  };
}
