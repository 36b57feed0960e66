import type { Event } from "@fairlead/contract";
import type { Amnesia } from "./attach-forgetfully.ts";
import { addDamage, damageOf, firstDifference, isUnharmed, noDamage, type Damage } from "./damage.ts";
import { storm, type Weather } from "./storm.ts";

/** What many storms did to one kind of session. */
export interface Toll {
  readonly kills: number;
  /** Kills of a runtime that had taken its session over. */
  readonly driving: number;
  readonly sessions: number;
  /** Events in each journal. */
  readonly events: number;
  readonly damage: Damage;
  /** Sessions in which the agent was not one process throughout. */
  readonly replaced: number;
  /** What a runtime that is broken on purpose does under the same kills. */
  readonly controls: Readonly<Record<Amnesia, Damage>>;
}

/** One session's weather but for what the toll decides; each session has a workspace of its own. */
export type Climate = Omit<Weather, "start" | "message" | "kills" | "amnesia"> & {
  readonly start: (workspace: string) => Weather["start"];
  readonly message: (workspace: string) => string;
};

const controlKills = 6;

/** Kills so often in all, over as many sessions as it takes, and compares each with one that was left alone. */
export async function toll(climate: Climate, wanted: number): Promise<Toll> {
  let sessions = 0;
  const workspaces: string[] = [];
  const live = async (kills: number, amnesia?: Amnesia) => {
    const workspace = climate.ground.workspace(`w${100 + (sessions += 1)}`);
    workspaces.push(workspace);
    const { start, message } = climate;
    const own = { start: start(workspace), message: message(workspace), kills, ...(amnesia && { amnesia }) };
    return await storm({ ...climate, ...own });
  };

  const { journal: unbroken } = await live(0);
  const judged = (journal: readonly Event[]): Damage => damageOf(unbroken, journal, workspaces);
  let [kills, driving] = [0, 0];
  let damage = noDamage;
  let replaced = 0;
  while (kills < wanted) {
    const after = await live(wanted - kills);
    // A machine on which no kill comes in time proves nothing, and must not keep us here.
    if (after.kills === 0) throw new Error("The agent was done before its runtime could be killed.");
    kills += after.kills;
    driving += after.driving;
    const done = judged(after.journal);
    damage = addDamage(damage, done);
    if (after.agents.size !== 1) replaced += 1;
    console.log(`${kills} of ${wanted} kills, ${JSON.stringify(done)}`);
    if (!isUnharmed(done)) console.log(firstDifference(unbroken, after.journal, workspaces));
  }
  const proven = sessions - 1;
  const forgets = judged((await live(controlKills, "forgets")).journal);
  const presumes = judged((await live(controlKills, "presumes")).journal);
  return {
    kills,
    driving,
    sessions: proven,
    events: unbroken.length,
    damage,
    replaced,
    controls: { forgets, presumes },
  };
}
