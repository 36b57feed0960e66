import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { spoolFolder } from "@fairlead/keeper";
import type { StartOptions } from "@fairlead/runtime";
import { processesOf } from "../../packages/conformance/src/processes.ts";
import type { Chance } from "../chance.ts";
import { Child } from "../child.ts";
import type { Ground } from "../ground.ts";
import type { Amnesia } from "./attach-forgetfully.ts";
import type { DriverOptions } from "./driver.ts";

/** A runtime that drives is killed within so many milliseconds. */
const drivenFor = 500;
const program = new URL("driver.ts", import.meta.url);

export interface Weather {
  readonly ground: Ground;
  readonly start: StartOptions;
  readonly message: string;
  /** What the agent writes last; once it has been written, a kill is no longer one while it works. */
  readonly lastWords: string;
  /** At most so many kills, each within so many milliseconds of the start of the process that is killed. */
  readonly kills: number;
  readonly within: number;
  readonly chance: Chance;
  readonly amnesia?: Amnesia;
}

export interface Aftermath {
  readonly kills: number;
  /** How many of them hit a runtime that had surely taken the session over; the others hit one at any time. */
  readonly driving: number;
  /** Every process that the keeper was ever seen to hold. */
  readonly agents: ReadonlySet<number>;
  readonly journal: readonly Event[];
}

/** One session, from its start to its end, whose runtime is killed again and again while the agent works. */
export async function storm(weather: Weather): Promise<Aftermath> {
  const { ground, start, message, chance } = weather;
  const home = ground.home.folder;
  const drive = (options: Omit<DriverOptions, "home">): Child =>
    new Child(program, { home, ...options } satisfies DriverOptions, { env: ground.environment });
  const amnesia = weather.amnesia && { amnesia: weather.amnesia };

  let driver = drive({ start, message });
  const session = await driver.line();
  const agents = new Set<number>();
  const look = (): void => {
    const keeper = ground.keeper(session)?.pid;
    for (const { pid, parent } of processesOf(session)) if (parent === keeper) agents.add(pid);
  };
  let [kills, driving] = [0, 0];
  let isDriving = Promise.resolve(true);
  while (kills < weather.kills) {
    // Two of three are killed while they drive, the others as likely while they start and take the session over.
    const hitsDriving = chance.below(3) > 0 && (await isDriving);
    await wait(chance.below(hitsDriving ? drivenFor : weather.within));
    look();
    await driver.kill();
    const tooLate = hasSaid(ground, session, weather.lastWords);
    driver = drive({ session, ...amnesia });
    isDriving = driver.line().then(
      () => true,
      () => false,
    );
    if (tooLate) break;
    kills += 1;
    if (hitsDriving) driving += 1;
  }
  while ((await driver.line()) !== "over");
  look();
  return { kills, driving, agents, journal: await ended(ground, session) };
}

function hasSaid(ground: Ground, session: string, words: string): boolean {
  const folder = spoolFolder(ground.home.session(session));
  return globSync("*.spool", { cwd: folder }).some((file) => readFileSync(join(folder, file)).includes(words));
}

/** Ends the session and gives all that the journal has of it. */
async function ended(ground: Ground, session: string): Promise<Event[]> {
  await using runtime = await ground.open();
  const attached = await runtime.attach(session);
  const { last } = attached;
  await attached.end();
  for await (const one of attached.stream(last)) if ("body" in one && one.body.type === "session.ended") break;
  return await Array.fromAsync(runtime.events(session, 0));
}
