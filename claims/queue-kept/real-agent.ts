/** Runs sequences on a real agent and prints the report: `scripts/offline node real-agent.ts OPTIONS`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testBenches } from "@fairlead/lab";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { runSequences } from "./run-sequences.ts";

export interface RealQueueOptions {
  readonly agent: string;
  readonly seed: number;
  readonly sequences: number;
}

const { agent, seed, sequences } = JSON.parse(process.argv[2] ?? "") as RealQueueOptions;
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no test bench for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
await using bench = await openBench(folder);
await using testHome = new TestHome(bench.environment);
const report = await runSequences({
  testHome,
  start: {
    agent,
    ...(bench.settings && { settings: bench.settings as Record<string, unknown> }),
    ...(bench.mode && { mode: bench.mode }),
  },
  message: (number, workspace) =>
    bench.buildPrompt([{ text: `Answer ${number} in pieces.`, chunks: 4, chunkDelay: 150 }], workspace) ?? "",
  sequences,
  maxPause: 600,
  idleLimitMs: 300_000,
  random: new SeededRandom(seed),
});
console.log(JSON.stringify(report));
