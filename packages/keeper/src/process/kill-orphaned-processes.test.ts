import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { killOrphanedProcesses } from "./kill-orphaned-processes.ts";
import { readProcessIdentity } from "./process-identity.ts";

/** A pid that no process has. */
const unusedPid = String(2 ** 22 + 1);

function spawnSleeper(session: string, keeper: string): ChildProcess {
  return spawn("sleep", ["20"], { env: { FAIRLEAD_SESSION: session, FAIRLEAD_KEEPER: keeper }, detached: true });
}

test("ends processes of this session whose keeper is dead, and no others", async () => {
  const session = randomUUID();
  const orphan = spawnSleeper(session, unusedPid);
  // The parent of this test is older than its children, so it could be the keeper of a session with the same name
  // elsewhere.
  const supervised = spawnSleeper(session, String(process.ppid));
  const otherSession = spawnSleeper(randomUUID(), unusedPid);
  using _ = { [Symbol.dispose]: () => [supervised, otherSession].forEach((child) => child.kill("SIGKILL")) };
  const exited = once(orphan, "exit");
  await killOrphanedProcesses(session);
  expect(await exited).toEqual([null, "SIGTERM"]);
  expect([supervised, otherSession].map((child) => readProcessIdentity(child.pid ?? 0) !== null)).toEqual([true, true]);
});
