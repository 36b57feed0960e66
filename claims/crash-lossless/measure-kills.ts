import type { Event } from "@fairlead/contract";
import type { AttachDefect } from "./attach-with-defect.ts";
import { addDamage, measureDamage, findFirstDifference, isUndamaged, noDamage, type Damage } from "./damage.ts";
import { runWithKills, type KillRunOptions } from "./run-with-kills.ts";

/** The result of many kills for one kind of session. */
export interface KillReport {
  readonly kills: number;
  /** Kills of a runtime that had attached to its session. */
  readonly killsWhileDriving: number;
  readonly sessions: number;
  /** The number of events in each journal. */
  readonly events: number;
  readonly damage: Damage;
  /** Sessions in which the agent process changed. */
  readonly replacedAgents: number;
  /** The result of a deliberately defective runtime under the same kills. */
  readonly controls: Readonly<Record<AttachDefect, Damage>>;
}

/** The options of one session that do not change between sessions. Each session has its own workspace. */
export type KillScenario = Omit<KillRunOptions, "start" | "message" | "kills" | "attachDefect"> & {
  readonly start: (workspace: string) => KillRunOptions["start"];
  readonly message: (workspace: string) => string;
};

const controlKills = 6;

/** Kills a required number of times over several sessions and compares each with an uninterrupted one. */
export async function measureKills(scenario: KillScenario, requiredKills: number): Promise<KillReport> {
  let sessions = 0;
  const workspaces: string[] = [];
  const runSession = async (kills: number, attachDefect?: AttachDefect) => {
    const workspace = scenario.testHome.workspace(`w${100 + (sessions += 1)}`);
    workspaces.push(workspace);
    const { start, message } = scenario;
    const sessionOptions: Pick<KillRunOptions, "start" | "message" | "kills" | "attachDefect"> = {
      start: start(workspace),
      message: message(workspace),
      kills,
      ...(attachDefect && { attachDefect }),
    };
    return await runWithKills({ ...scenario, ...sessionOptions });
  };

  const { journal: uninterrupted } = await runSession(0);
  const judge = (journal: readonly Event[]): Damage => measureDamage(uninterrupted, journal, workspaces);
  let [kills, killsWhileDriving] = [0, 0];
  let damage = noDamage;
  let replacedAgents = 0;
  while (kills < requiredKills) {
    const result = await runSession(requiredKills - kills);
    // If no kill hits in time, the run proves nothing and must end.
    if (result.kills === 0) throw new Error("The agent was done before its runtime could be killed.");
    kills += result.kills;
    killsWhileDriving += result.killsWhileDriving;
    const sessionDamage = judge(result.journal);
    damage = addDamage(damage, sessionDamage);
    if (result.agents.size !== 1) replacedAgents += 1;
    console.log(`${kills} of ${requiredKills} kills, ${JSON.stringify(sessionDamage)}`);
    if (!isUndamaged(sessionDamage)) console.log(findFirstDifference(uninterrupted, result.journal, workspaces));
  }
  const provenSessions = sessions - 1;
  const forgets = judge((await runSession(controlKills, "forgets")).journal);
  const presumes = judge((await runSession(controlKills, "presumes")).journal);
  return {
    kills,
    killsWhileDriving,
    sessions: provenSessions,
    events: uninterrupted.length,
    damage,
    replacedAgents,
    controls: { forgets, presumes },
  };
}
