import { withScript } from "@fairlead/kit";
import { testBenches } from "@fairlead/lab";
import { root, runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { addQueueReports, emptyQueueReport, type QueueReport } from "./kept-queue.ts";
import type { RealQueueOptions } from "./real-agent.ts";
import { runSequences } from "./run-sequences.ts";

const sequences = { own: 200, real: 20, control: 20 };
/** Sequences of one agent that run at the same time, each on a data directory of its own. */
const lanes = 4;

/** Agents of this repository, and a message that keeps each busy for a moment. */
const ownAgents = {
  scripted: (number: number) => withScript(`Number ${number}.`, [{ text: "In pieces.", chunks: 5, chunkDelay: 40 }]),
  shell: (number: number) => `sleep 0.2; echo ${number}`,
} as const;
type OwnAgent = keyof typeof ownAgents;

export const queueKept: Claim = {
  id: "queue-kept",
  statement:
    "Each message that a session accepts becomes one turn or is returned by one event, whatever is interrupted, paused, resumed or killed.",
  bound: `${sequences.own} sequences on each of scripted and shell, ${sequences.real} on each real program: 0 lost, 0 doubled, 0 stuck; control: queues in the dialects, as before, lose messages`,
  async prove() {
    const { seed } = SeededRandom.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${seed}`);
    await ensureBuilt();
    const reports = new Map<string, QueueReport>();
    const controls = new Map<string, QueueReport>();
    for (const agent of Object.keys(ownAgents) as OwnAgent[]) {
      reports.set(agent, await runOwn(agent, seed, sequences.own, false));
      console.log(describe([agent, reports.get(agent) ?? emptyQueueReport]));
      controls.set(agent, await runOwn(agent, seed, sequences.control, true));
    }
    for (const agent of Object.keys(testBenches)) {
      if (agent in ownAgents) continue;
      reports.set(agent, await runReal({ agent, seed, sequences: sequences.real }));
      console.log(describe([agent, reports.get(agent) ?? emptyQueueReport]));
    }
    const isKept = ({ lost, doubled, stuck, queued }: QueueReport): boolean =>
      lost + doubled + stuck === 0 && queued > 0;
    return {
      measured: `seed ${seed}; ${[...reports].map(describe).join("; ")}; control: ${[...controls].map(describe).join("; ")}`,
      holds: [...reports.values()].every(isKept) && [...controls.values()].every(({ lost }) => lost > 0),
    };
  },
};

async function runOwn(agent: OwnAgent, seed: number, count: number, queuesInDialects: boolean): Promise<QueueReport> {
  const runLane = async (lane: number): Promise<QueueReport> => {
    await using testHome = new TestHome();
    return await runSequences({
      testHome,
      start: { agent },
      message: ownAgents[agent],
      sequences: count / lanes,
      maxPause: 150,
      idleLimitMs: queuesInDialects ? 5000 : 60_000,
      random: new SeededRandom(seed + lane),
      queuesInDialects,
    });
  };
  const reports = await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
  return reports.reduce(addQueueReports, emptyQueueReport);
}

async function runReal(options: RealQueueOptions): Promise<QueueReport> {
  await runQuietly("node", ["scripts/install-agents.ts", options.agent]);
  const program = `${root}claims/queue-kept/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as QueueReport;
}

function describe([agent, report]: readonly [string, QueueReport]): string {
  const { sequences: count, messages, queued, turns, returned, kills, lost, doubled, stuck } = report;
  return `${agent}: ${messages} messages in ${count} sequences with ${kills} kills, ${queued} queued, ${turns} turns, ${returned} returned, ${lost} lost, ${doubled} doubled, ${stuck} stuck`;
}
