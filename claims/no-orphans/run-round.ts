import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { StartOptions } from "@fairlead/runtime";
import { ChildProgram } from "../../measure/child-program.ts";
import type { DriverOptions } from "../crash-lossless/driver.ts";
import type { TestHome } from "../../measure/test-home.ts";
import { findMarkedProcesses, countSurvivors } from "./marked-processes.ts";

/** The three ways to end a session that leave orphans in other tools. */
export const endings = ["stop", "kill the keeper", "kill the runtime, then stop"] as const;
export type Ending = (typeof endings)[number];

/** A working agent: how to start it, and the message that makes it start marked processes. */
export interface AgentWork {
  start(workspace: string): StartOptions;
  message(mark: string, workspace: string): string;
  readonly processes: number;
}

const driver = new URL("../crash-lossless/driver.ts", import.meta.url);
const exitTimeout = 5000;
/** The time limit until the agent's command runs on a busy machine. */
const startTimeout = 180_000;

/** Ends one session in one way. Returns the number of its surviving processes. */
export async function runRound(testHome: TestHome, work: AgentWork, ending: Ending): Promise<number> {
  const mark = randomUUID().slice(0, 12);
  const workspace = testHome.workspace(mark);
  const message = work.message(mark, workspace);
  const options: DriverOptions = { home: testHome.home.folder, start: work.start(workspace), message };
  await using driving = new ChildProgram(driver, options, { env: testHome.environment });
  const session = await driving.readLine();
  const countAlive = (): number => findMarkedProcesses(`fl-${mark}`).length;
  for (const deadline = performance.now() + startTimeout; countAlive() < work.processes; await wait(20)) {
    if (performance.now() > deadline)
      throw new Error(
        `Only ${countAlive()} of ${work.processes} processes of ${options.start?.agent ?? "the agent"} came into being.`,
      );
  }
  if (ending === "kill the keeper") process.kill(testHome.findKeeper(session)?.pid ?? 0, "SIGKILL");
  else {
    if (ending !== "stop") await driving.kill();
    await using runtime = await testHome.open();
    const attached = await runtime.attach(session);
    await attached.end();
    for await (const one of attached.stream()) if ("body" in one && one.body.type === "session.ended") break;
  }
  const survivors = await countSurvivors(`fl-${mark}`, exitTimeout);
  for (const pid of findMarkedProcesses(`fl-${mark}`)) process.kill(pid, "SIGKILL");
  return survivors;
}
