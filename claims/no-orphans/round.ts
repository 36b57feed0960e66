import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { StartOptions } from "@fairlead/runtime";
import { Child } from "../child.ts";
import type { DriverOptions } from "../crash-lossless/driver.ts";
import type { Ground } from "../ground.ts";
import { marked, survivors } from "./survivors.ts";

/** The three ways in which a session can come to its end that leave orphans elsewhere. */
export const endings = ["stop", "kill the keeper", "kill the runtime, then stop"] as const;
export type Ending = (typeof endings)[number];

/** An agent at work: how to start it, and what to say so that so many processes with a mark come into being. */
export interface Work {
  start(workspace: string): StartOptions;
  message(mark: string, workspace: string): string;
  readonly processes: number;
}

const driver = new URL("../crash-lossless/driver.ts", import.meta.url);
const patience = 5000;
/** How long an agent may take until its command runs, on a busy machine. */
const startPatience = 60_000;

/** Ends one session in one way, and gives the number of its processes that are left. */
export async function round(ground: Ground, work: Work, ending: Ending): Promise<number> {
  const mark = randomUUID().slice(0, 12);
  const workspace = ground.workspace(mark);
  const message = work.message(mark, workspace);
  const options: DriverOptions = { home: ground.home.folder, start: work.start(workspace), message };
  await using driving = new Child(driver, options, { env: ground.environment });
  const session = await driving.line();
  const alive = (): number => marked(`fl-${mark}`).length;
  for (const deadline = performance.now() + startPatience; alive() < work.processes; await wait(20)) {
    if (performance.now() > deadline)
      throw new Error(
        `Only ${alive()} of ${work.processes} processes of ${options.start?.agent ?? "the agent"} came into being.`,
      );
  }
  if (ending === "kill the keeper") process.kill(ground.keeper(session)?.pid ?? 0, "SIGKILL");
  else {
    if (ending !== "stop") await driving.kill();
    await using runtime = await ground.open();
    const attached = await runtime.attach(session);
    await attached.end();
    for await (const one of attached.stream()) if ("body" in one && one.body.type === "session.ended") break;
  }
  const left = await survivors(`fl-${mark}`, patience);
  for (const pid of marked(`fl-${mark}`)) process.kill(pid, "SIGKILL");
  return left;
}
