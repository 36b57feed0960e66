import type { Engine } from "@fairlead/engine";
import { readNewestEvent } from "../actor/stored-events.ts";

/** Whether a session has neither ended nor paused, and its owner no longer runs. */
export async function isAbandoned({ log, hosts }: Engine, session: string): Promise<boolean> {
  const { owner } = await log.tail(session);
  const last = await readNewestEvent(log, session);
  const isPaused = last?.body.type === "session.paused" && last.body.reason !== "moved";
  const isSettled = last === undefined || last.body.type === "session.ended" || isPaused;
  return !isSettled && !(await hosts.isAlive(owner));
}
