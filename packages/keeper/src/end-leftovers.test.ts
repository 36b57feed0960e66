import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endLeftovers } from "./end-leftovers.ts";
import { identity } from "./process-identity.ts";

/** A number that no process has. */
const nobody = String(2 ** 22 + 1);

function sleeper(session: string, keeper: string): ChildProcess {
  return spawn("sleep", ["20"], { env: { FAIRLEAD_SESSION: session, FAIRLEAD_KEEPER: keeper }, detached: true });
}

test("what a dead keeper has left of this session ends; what a living one holds, or another session, does not", async () => {
  const session = randomUUID();
  const left = sleeper(session, nobody);
  // Our own parent is older than they are, so it could be the keeper of a session of the same name elsewhere.
  const held = sleeper(session, String(process.ppid));
  const others = sleeper(randomUUID(), nobody);
  using _ = { [Symbol.dispose]: () => [held, others].forEach((child) => child.kill("SIGKILL")) };
  const ended = once(left, "exit");
  await endLeftovers(session);
  expect(await ended).toEqual([null, "SIGTERM"]);
  expect([held, others].map((child) => identity(child.pid ?? 0) !== null)).toEqual([true, true]);
});
