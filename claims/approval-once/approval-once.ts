import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { readSize } from "../daemon/size.ts";
import { createAgents } from "./agents.ts";
import type { AnsweringOptions } from "./answering-process.ts";
import { examineOutcomes, type RaceOutcomes } from "./examine-outcomes.ts";
import { racePolicy } from "./race-commands.ts";

const requests = readSize("requests", 2000);
const perTurn = 20;
const program = new URL("answering-process.ts", import.meta.url);

export const approvalOnce: Claim = {
  id: "approval-once",
  statement:
    "A request that people, a rule, a deadline, an interrupt and killed daemons race for has one outcome, and a call runs if and only if it was allowed, exactly as shown.",
  bound: `≥ ${requests} requests: one outcome each, and no call that ran without approval, twice, or not as shown; allowed calls that an interrupt stopped are counted; control: an agent that gets denials as approvals is found`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    const { outcomes, kills } = await race(random, requests, false);
    const control = await race(random, Math.min(60, requests), true);
    const kinds = Object.entries(outcomes.kinds)
      .toSorted(([, one], [, other]) => other - one)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
    return {
      measured: `seed ${random.seed}; ${outcomes.requests} requests, ${kills} daemons killed: ${kinds}; ${outcomes.stopped} allowed calls stopped by an interrupt; ${outcomes.faults.length} faults${outcomes.faults
        .slice(0, 3)
        .map((fault) => ` (${fault})`)
        .join("")}; control: ${control.outcomes.faults.length} faults`,
      holds:
        outcomes.requests >= requests &&
        kills > 0 &&
        outcomes.faults.length === 0 &&
        control.outcomes.faults.length > 0,
    };
  },
};

async function race(
  random: SeededRandom,
  count: number,
  isDeaf: boolean,
): Promise<{ readonly outcomes: RaceOutcomes; readonly kills: number }> {
  await using testHome = new TestHome();
  const workspace = testHome.workspace();
  const agents = createAgents(isDeaf);
  const session = await start(testHome, workspace, agents);
  const { folder: home } = testHome.home;
  let kills = 0;
  for (let isDone = false; !isDone;) {
    const options: AnsweringOptions = {
      home,
      session,
      seed: random.nextBelow(2 ** 31),
      requests: count,
      perTurn,
      isDeaf,
    };
    await using daemon = new ChildProgram(program, options, { env: testHome.environment });
    if ((await daemon.readLine()) !== "attached") throw new Error("The daemon could not attach.");
    // If it ends without a word, the proof has failed: only this process kills it.
    const ending = daemon.readLine().then((line) => line === "done");
    ending.catch(() => {});
    isDone = await Promise.race([ending, wait(200 + random.nextBelow(4000)).then(() => false)]);
    if (!isDone) kills += 1;
  }
  const events = await testHome.readJournal(session);
  const file = join(workspace, "ran");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return { outcomes: examineOutcomes(events, lines), kills };
}

async function start(testHome: TestHome, workspace: string, agents: ReturnType<typeof createAgents>): Promise<string> {
  await using runtime = await testHome.open(agents);
  const sandbox = { kind: "none" } as const;
  await using session = await runtime.start({ agent: "scripted", workspace, sandbox, policy: racePolicy });
  return session.id;
}
