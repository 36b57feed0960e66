/**
 * Starts sessions with a brief, changes it during the first turn, or not, and counts how often the requests to the model have
 * it. Offline; prints JSON lines: `node run-briefs.ts AGENT…`.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Brief } from "@fairlead/contract";
import { resolveAgentVersion, testBenches } from "@fairlead/lab";
import { openApiDriver, openCliDriver, openShimDriver, type OpenBriefDriver } from "./brief-drivers.ts";

/** How often requests to the model had the texts of the two briefs. */
export interface BriefRun {
  readonly agent: string;
  readonly version: string | null;
  readonly by: string;
  /** Whether the brief was changed during the first turn. */
  readonly isUpdated: boolean;
  /** The first brief, in the first request. */
  readonly first: number;
  /** The changed brief, in the last request of the first turn. */
  readonly inTurn: number;
  /** The changed brief, in the last request of the next turn, which has the whole conversation. */
  readonly inNextTurn: number;
  /** Whether the interface shows the changed brief. */
  readonly inView: boolean;
}

const firstWord = "heliotrope-7391";
const changedWord = "parsnip-2846";
const drivers: Readonly<Record<string, OpenBriefDriver>> = {
  "command line": openCliDriver,
  API: openApiDriver,
  shim: openShimDriver,
};

if (import.meta.main) {
  for (const agent of process.argv.slice(2))
    for (const [by, openDriver] of Object.entries(drivers))
      for (const isUpdated of [true, false])
        console.log(JSON.stringify(await runBrief(agent, by, openDriver, isUpdated)));
}

async function runBrief(agent: string, by: string, openDriver: OpenBriefDriver, isUpdated: boolean): Promise<BriefRun> {
  const openBench = testBenches[agent];
  if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
  const folder = mkdtempSync(join(tmpdir(), "brief-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  await using bench = await openBench(join(folder, "s"));
  await using driver = await openDriver(agent, bench);
  const count = async (word: string): Promise<number> =>
    ((await bench.readModelContext?.()) ?? "").split(word).length - 1;
  const { workspace } = driver;
  const prompt = (...steps: Parameters<typeof bench.buildPrompt>[0]): string =>
    bench.buildPrompt(steps, workspace) ?? "";
  const hold = { run: "touch started; while [ ! -e go ]; do sleep 0.1; done", unescalated: true } as const;
  const work = prompt({ actions: [hold] }, { text: "Done." });
  await driver.start(briefWith(`Write about it.\nThe word is ${firstWord}. ${work}`));
  await waitForFile(join(workspace, "started"));
  const first = await count(firstWord);
  if (isUpdated) await driver.update(briefWith(`Write about it.\nThe word is ${changedWord} now.`));
  writeFileSync(join(workspace, "go"), "");
  await driver.turnEnd();
  const inTurn = await count(changedWord);
  await driver.nextTurn(prompt({ text: "Next." }));
  const inNextTurn = await count(changedWord);
  const inView = JSON.stringify(await driver.readBrief()).includes(changedWord);
  return { agent, version: resolveAgentVersion(agent), by, isUpdated, first, inTurn, inNextTurn, inView };
}

function briefWith(goal: string): Brief {
  return { title: "A word", goal, constraints: ["be brief"], acceptance: [] };
}

async function waitForFile(file: string): Promise<void> {
  for (const deadline = performance.now() + 180_000; !existsSync(file); await wait(50))
    if (performance.now() > deadline) throw new Error(`The agent did not start to work: there is no ${file}.`);
}
