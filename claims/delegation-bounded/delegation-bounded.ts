import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { runQuietly } from "../../scripts/run.ts";
import { askForMore } from "./ask-for-more.ts";
import { delegateEndlessly } from "./delegate-endlessly.ts";
import { killBetween } from "./kill-between.ts";
import type { LedAgents } from "./lead-real-agents.ts";

const limit = 150;
/** A limit is noticed a little late, by each of the sessions. */
const tolerance = 1.05;
const rounds = 10;

export const delegationBounded: Claim = {
  id: "delegation-bounded",
  statement: "An agent that leads others stays within its depth, number and limit, and they end with it.",
  bound: `an agent that delegates without end: depth 2, 4 open sessions each, at most ${limit} s of work in all (and 5 %, because each notices its limit a little late); real claude-code told to start 6: 4; ${rounds} daemons killed between the end of a parent and that of its children: 0 processes; 13 starts that ask for more than the parent has: all refused; control: without the bounds, each is exceeded`,
  async prove() {
    const bounded = await delegateEndlessly({ starts: 6, limits: { seconds: limit }, seconds: 2 * limit });
    const deep = await delegateEndlessly({ starts: 2, bounds: { depth: 3, children: 4 }, seconds: 60 });
    const wide = await delegateEndlessly({ starts: 6, bounds: { depth: 1, children: 6 }, seconds: 60 });
    const { asked, refused, isPlainAllowed } = await askForMore();
    const killed = await killBetween(SeededRandom.fromEnvironment(), rounds);
    const { code, output } = await runQuietly("scripts/offline", [
      "node",
      "claims/delegation-bounded/lead-real-agents.ts",
      "claude-code",
    ]);
    if (code !== 0) throw new Error(output);
    const real = JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "{}") as LedAgents;
    const areBoundsKept =
      bounded.depth === 2 && bounded.children === 4 && bounded.sessions === 21 && bounded.seconds <= limit * tolerance;
    const isControlExceeded = deep.depth > 2 && wide.children > 4 && wide.seconds > limit;
    const isRealBounded = real.started === 4 && real.refusals.length === 2 && real.left === 0;
    const describe = ({ sessions, depth, children, seconds }: typeof bounded): string =>
      `${sessions} sessions, depth ${depth}, at most ${children} of one agent, ${seconds.toFixed(1)} s of work`;
    return {
      measured:
        `without end: ${describe(bounded)}; ` +
        `claude-code: ${real.started} started, ${real.refusals.length} refused ("${real.refusals[0] ?? ""}"), ${real.left} left after the stop; ` +
        `${refused.length} of ${asked.length} wider starts refused, a plain one ${isPlainAllowed ? "allowed" : "refused"}; ` +
        `${killed.rounds} daemons killed: ${killed.orphans} agents still ran, ${killed.survivors} after the next daemon; ` +
        `control: ${describe(deep)}; ${describe(wide)}`,
      holds:
        areBoundsKept &&
        isRealBounded &&
        isPlainAllowed &&
        refused.length === asked.length &&
        killed.survivors === 0 &&
        killed.orphans > 0 &&
        isControlExceeded,
    };
  },
};
