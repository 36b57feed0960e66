/** Kills the runtime while a real agent works and prints the report: `scripts/offline node real-agent.ts OPTIONS`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelStep } from "@fairlead/conformance";
import { testBenches } from "@fairlead/lab";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { measureKills } from "./measure-kills.ts";

export interface KillAgentOptions {
  readonly agent: string;
  readonly seed: number;
  readonly kills: number;
}

/** Fixed in each answer, because the lab's own numbers differ between sessions and journals are compared. */
const usage = { input: 7, output: 5, cacheRead: 3, cacheWrite: 2 };

const steps: (ModelStep & { usage: typeof usage })[] = Array.from({ length: 12 }, (_, at) => ({
  text: `Step ${at + 1} comes in pieces, so that a kill can fall between any two of them.`,
  chunks: 8,
  chunkDelay: 30,
  usage,
  actions: [
    at % 2 === 1
      ? { write: { path: `note-${at + 1}.txt`, content: `note ${at + 1}\n` } }
      : { run: `echo begin ${at + 1}; sleep 0.2; echo end ${at + 1}` },
  ],
}));

const lastStep = { text: "All is done.", usage };

const { agent, seed, kills } = JSON.parse(process.argv[2] ?? "") as KillAgentOptions;
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
await using bench = await openBench(folder);
await using testHome = new TestHome(bench.environment);
const killReport = await measureKills(
  {
    testHome,
    start: (workspace) => ({
      agent,
      workspace,
      mode: "full-auto",
      settings: bench.settings,
      sandbox: { kind: "bwrap" },
    }),
    message: (workspace) => bench.buildPrompt([...steps, lastStep], workspace) ?? "",
    finalOutput: '"type":"result"',
    maxDelay: 2000,
    random: new SeededRandom(seed),
  },
  kills,
);
console.log(JSON.stringify(killReport));
