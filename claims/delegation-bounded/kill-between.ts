import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { withScript } from "@fairlead/kit";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";

export interface KilledBetween {
  readonly rounds: number;
  /** Sessions that were open when a daemon was killed, although their parent was told to stop. */
  readonly orphans: number;
  /** Keepers and agents that are left after the next daemon has stopped what was left. */
  readonly survivors: number;
}

const child = { agent: "scripted", prompt: withScript("Work.", [{ text: "Done." }]) };
const prompt = withScript("Delegate.", [
  { tools: Array.from({ length: 4 }, () => ({ name: "use", input: { tool: "start_session", input: child } })) },
]);

/** Stops sessions that have started others, and kills the daemon before it could stop those. */
export async function killBetween(random: SeededRandom, rounds: number): Promise<KilledBetween> {
  await using testHome = new TestHome();
  let daemon = await DaemonProcess.start(testHome);
  let [orphans, survivors] = [0, 0];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const fairlead = daemon.connect();
      const workspace = testHome.workspace(`w${round}`);
      const { session: parent } = await fairlead.start({ agent: "scripted", workspace, mayDelegate: true, prompt });
      for await (const output of fairlead.events(parent, { follow: true }))
        if ("body" in output && output.body.type === "turn.ended") break;
      void fairlead.stop(parent).catch(() => {});
      for await (const output of fairlead.events(parent, { follow: true }))
        if ("body" in output && output.body.type === "session.ended") break;
      await wait(random.nextBelow(150));
      await daemon.kill();
      orphans += countProcesses(testHome.folder);
      daemon = await DaemonProcess.start(testHome);
      const next = daemon.connect();
      const isOver = async (): Promise<boolean> =>
        (await next.sessions({ workspace })).sessions.every(({ state }) => state === "ended");
      for (const until = performance.now() + 30_000; performance.now() < until && !(await isOver()); await wait(100));
      survivors += (await isOver()) ? 0 : 1;
    }
    for (const until = performance.now() + 10_000; performance.now() < until; await wait(100))
      if (countProcesses(testHome.folder) === 0) break;
    survivors += countProcesses(testHome.folder);
  } finally {
    await daemon.kill();
  }
  return { rounds, orphans, survivors };
}

/** Counts the agents that run with the variables of a test home. */
function countProcesses(folder: string): number {
  return readdirSync("/proc").filter((name) => {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return command.includes("scripted-agent") && readFileSync(`/proc/${name}/environ`, "utf8").includes(folder);
    } catch {
      return false; // not a process, or it has ended
    }
  }).length;
}
