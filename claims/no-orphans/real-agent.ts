/** Ends sessions of a real agent with a running command, and prints the number of surviving processes as JSON. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { testBenches } from "@fairlead/lab";
import { TestHome } from "../../measure/test-home.ts";
import { endings, runRound } from "./run-round.ts";
import { buildStubbornCommand } from "./stubborn-command.ts";

const { agent, rounds } = JSON.parse(process.argv[2] ?? "") as { agent: string; rounds: number };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
await using bench = await openBench(folder);
await using testHome = new TestHome(bench.environment);
/** A mode in which the agent does not ask, or in which the runtime answers. */
const modes = adapters.find(({ manifest }) => manifest.id === agent)?.manifest.modes ?? [];
const mode = (["full-auto", "dangerously-skip-permissions"] as const).find((one) => modes.includes(one));
const survivorCounts: number[] = [];
for (let at = 0; at < rounds; at += 1) {
  const work = {
    start: (workspace: string) => ({
      agent,
      workspace,
      settings: bench.settings,
      sandbox: { kind: "bwrap" as const },
      ...(mode && { mode }),
    }),
    message: (mark: string, workspace: string) =>
      bench.buildPrompt([{ actions: [{ run: buildStubbornCommand(mark) }] }, { text: "Never said." }], workspace) ?? "",
    processes: 3,
  };
  survivorCounts.push(await runRound(testHome, work, endings[at % endings.length] ?? "stop"));
}
console.log(JSON.stringify(survivorCounts));
