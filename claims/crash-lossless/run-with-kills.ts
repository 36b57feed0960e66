import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { spoolFolder } from "@fairlead/keeper";
import type { StartOptions } from "@fairlead/runtime";
import { listSessionProcesses } from "../../packages/conformance/src/session-processes.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import type { TestHome } from "../../measure/test-home.ts";
import type { AttachDefect } from "./attach-with-defect.ts";
import type { DriverOptions } from "./driver.ts";

/** A driving runtime is killed within this many milliseconds. */
const maxDriveTime = 500;
const program = new URL("driver.ts", import.meta.url);

export interface KillRunOptions {
  readonly testHome: TestHome;
  readonly start: StartOptions;
  readonly message: string;
  /** The agent's final output. After it, a kill no longer interrupts work. */
  readonly finalOutput: string;
  /** The maximum number of kills, each within `maxDelay` milliseconds of the start of the killed process. */
  readonly kills: number;
  readonly maxDelay: number;
  readonly random: SeededRandom;
  readonly attachDefect?: AttachDefect;
}

export interface KillRunResult {
  readonly kills: number;
  /** The number of kills that hit a runtime after it had attached to the session. The others hit at any time. */
  readonly killsWhileDriving: number;
  /** Every process that the keeper held. */
  readonly agents: ReadonlySet<number>;
  readonly journal: readonly Event[];
}

/** Runs one session from start to end and kills its runtime repeatedly while the agent works. */
export async function runWithKills(runOptions: KillRunOptions): Promise<KillRunResult> {
  const { testHome, start, message, random } = runOptions;
  const home = testHome.home.folder;
  const drive = (options: Omit<DriverOptions, "home">): ChildProgram =>
    new ChildProgram(program, { home, ...options } satisfies DriverOptions, { env: testHome.environment });
  const { attachDefect } = runOptions;

  let driver = drive({ start, message });
  const session = await driver.readLine();
  const agents = new Set<number>();
  const recordAgents = (): void => {
    const keeper = testHome.findKeeper(session)?.pid;
    for (const { pid, parent } of listSessionProcesses(session)) if (parent === keeper) agents.add(pid);
  };
  let [kills, killsWhileDriving] = [0, 0];
  let isDriving = Promise.resolve(true);
  while (kills < runOptions.kills) {
    // Two of three are killed while they drive, the others at any time, also while they start and attach.
    const hitsDriving = random.nextBelow(3) > 0 && (await isDriving);
    await wait(random.nextBelow(hitsDriving ? maxDriveTime : runOptions.maxDelay));
    recordAgents();
    await driver.kill();
    const isTooLate = hasWritten(testHome, session, runOptions.finalOutput);
    driver = drive({ session, ...(attachDefect && { attachDefect }) });
    isDriving = driver.readLine().then(
      () => true,
      () => false,
    );
    if (isTooLate) break;
    kills += 1;
    if (hitsDriving) killsWhileDriving += 1;
  }
  while ((await driver.readLine()) !== "over");
  recordAgents();
  return { kills, killsWhileDriving, agents, journal: await endAndRead(testHome, session) };
}

function hasWritten(testHome: TestHome, session: string, text: string): boolean {
  const folder = spoolFolder(testHome.home.sessionFolder(session));
  return globSync("*.spool", { cwd: folder }).some((file) => readFileSync(join(folder, file)).includes(text));
}

/** Ends the session and returns its journal. */
async function endAndRead(testHome: TestHome, session: string): Promise<Event[]> {
  await using runtime = await testHome.open();
  const attached = await runtime.attach(session);
  const { lastSequence } = attached;
  await attached.end();
  for await (const one of attached.stream(lastSequence)) if ("body" in one && one.body.type === "session.ended") break;
  return await Array.fromAsync(runtime.events(session, 0));
}
