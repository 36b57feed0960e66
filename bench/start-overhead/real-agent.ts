/** Times the starts of a real agent and prints them: `scripts/offline node real-agent.ts OPTIONS`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { testBenches } from "@fairlead/lab";
import { Runtime } from "@fairlead/runtime";
import { TestHome } from "../../measure/test-home.ts";
import { compareStarts } from "./compare-starts.ts";

export interface RealStartOptions {
  readonly agent: string;
  readonly rounds: number;
}

const { agent, rounds } = JSON.parse(process.argv[2] ?? "") as RealStartOptions;
const adapter = adapters.find(({ manifest }) => manifest.id === agent);
const openBench = testBenches[agent];
if (adapter === undefined || openBench === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
await using bench = await openBench(folder);
await using testHome = new TestHome(bench.environment);
const { environment, home } = testHome;
await using runtime = await Runtime.open({ home, adapters, environment, keepSpareKeeper: true });
const message = bench.buildPrompt([{ text: "Good morning." }], folder);
const start = { agent, workspace: testHome.workspace(), settings: bench.settings, sandbox: { kind: "bwrap" as const } };
console.log(JSON.stringify(await compareStarts({ runtime, adapter, start, environment, message, rounds })));
