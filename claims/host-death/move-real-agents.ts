/**
 * Loses the machine of a real agent between two turns, and prints how it continues on another one as JSON, without a network:
 * `node move-real-agents.ts '{"agent":"codex"}'`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { SessionFollower } from "../daemon/session-follower.ts";
import { MachineFleet } from "../fleet-machines/machine-fleet.ts";

export interface RealMove {
  readonly agent: string;
  /** The outcome of the resume on the other machine. */
  readonly outcome: string;
  /** Whether the model was told there what was said before. */
  readonly remembers: boolean;
  /** Whether the last turn was completed. */
  readonly isAnswered: boolean;
  /** Seconds from the kill to the end of that turn. */
  readonly seconds: number;
}

const { agent } = JSON.parse(process.argv[2] ?? "") as { readonly agent: string };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no bench for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "rm-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const random = SeededRandom.fromEnvironment();
const homes = ["first", "second"].map((name) => join(folder, name, "s"));
await using stack = new AsyncDisposableStack();
const benches = [];
for (const home of homes) benches.push(stack.use(await openBench(home)));
const machines = benches.map(({ environment }, at) => ({ name: `real${at}x`, environment: () => environment }));
await using fleet = await MachineFleet.start({ random, machines, max: 5 });
const [first, second] = fleet.machines;
const [firstBench, secondBench] = benches;
if (first === undefined || second === undefined || firstBench === undefined || secondBench === undefined)
  throw new Error("The fleet has no machines.");
await first.start();
const fairlead = fleet.connect();
const { workspace } = fleet;
const createPrompt = (text: string): string => firstBench.buildPrompt([{ text }], workspace) ?? "";
const { session } = await fairlead.start({
  agent,
  workspace,
  settings: { ...firstBench.settings },
  prompt: createPrompt("The word is heliotrope."),
});
const follower = new SessionFollower(fairlead, session);
const isTurnEnd = ({ body }: Event): boolean => body.type === "turn.ended";
const seen = await follower.waitForEvent(isTurnEnd);
// The memory is stored again up to 2 s after a turn, for agents that write it late.
await delay(5000);
await second.start();
const killedAt = performance.now();
await first.lose();
rmSync(homes[0] ?? "", { recursive: true, force: true });
await follower.waitForEvent(({ body }) => body.type === "session.paused" && body.reason === "moved", seen);
const message = createPrompt("Which word was it?");
for (;;) {
  try {
    await fairlead.send(session, message, { key: "second" });
    break;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    await delay(500);
  }
}
await follower.waitForEvent(isTurnEnd, seen);
const { events } = follower;
const resumed = events.findLast(({ body }) => body.type === "session.resumed")?.body;
const context = (await secondBench.readModelContext?.()) ?? "";
const last = events.findLast(isTurnEnd)?.body;
for (const line of fleet.machines.flatMap(({ errors }) => errors)) console.error(line);
console.log(
  JSON.stringify({
    agent,
    outcome: resumed?.type === "session.resumed" ? resumed.outcome : "none",
    remembers: context.includes("heliotrope"),
    isAnswered: last?.type === "turn.ended" && last.outcome === "completed",
    seconds: (performance.now() - killedAt) / 1000,
  } satisfies RealMove),
);
await fairlead.stop(session);
