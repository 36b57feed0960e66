import { isDeepStrictEqual } from "node:util";
import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { runScenario } from "../foreman/run-scenario.ts";
import { crashScripted } from "./crash-scripted.ts";
import type { KilledRun } from "./kill-foreman.ts";

const kills = 100;
const perRun = 8;
const realKills = 3;

export const foremanCrash: Claim = {
  id: "foreman-crash",
  statement: "A run finishes whatever is killed on the way, and each of its effects happens once.",
  bound: `${kills} seeded kill -9 of the service at and inside steps with scripted agents, and ${2 * realKills} with real ones: every run ends as done, with the events of an undisturbed run in the same order; each session, message, push and request once; no session left; control: with random keys, something happens twice`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    const reference = await crashScripted(random, { kills: 0, perRun: 0 });
    const [expected] = reference.runs;
    const crashed = await crashScripted(random, { kills, perRun });
    const isOnce = (one: KilledRun, other: KilledRun | undefined): boolean =>
      one.summary.outcome === "done" &&
      one.summary.isDense &&
      one.summary.open === 0 &&
      one.pushes === 1 &&
      isDeepStrictEqual(one.summary.events, other?.summary.events) &&
      isDeepStrictEqual(one.summary.sessions, other?.summary.sessions);
    const wrong = crashed.runs.filter((run) => !isOnce(run, expected));
    const real = await runScenario<KilledRun>("foreman-crash/crash-real.ts", String(realKills), String(random.seed));
    const undisturbed = await runScenario<KilledRun>("foreman-crash/crash-real.ts", "0", String(random.seed));
    const wrongReal = real.filter((run, index) => !isOnce(run, undisturbed[index]));
    const control = await crashScripted(random, { kills: 2 * perRun, perRun, randomKeys: true });
    const doubled = control.runs.filter((run) => !isOnce(run, expected));
    const moments = new Set(crashed.runs.flatMap((run) => run.moments));
    return {
      measured:
        `seed ${random.seed}: ${crashed.kills} kills at ${moments.size} different moments in ${crashed.runs.length} runs: ${wrong.length} runs wrong${describe(wrong)}, ${crashed.posts} requests to make ${crashed.pulls} pull requests; ` +
        `real agents: ${real.reduce((sum, run) => sum + run.kills, 0)} kills in ${real.length} runs: ${wrongReal.length} wrong${describe(wrongReal)}; ` +
        `control with random keys: ${doubled.length} of ${control.runs.length} runs wrong${describe(doubled.slice(0, 1))}`,
      holds:
        expected !== undefined &&
        isOnce(expected, expected) &&
        crashed.kills === kills &&
        wrong.length === 0 &&
        crashed.posts === crashed.runs.length &&
        crashed.pulls === crashed.runs.length &&
        real.length === 2 &&
        real.reduce((sum, run) => sum + run.kills, 0) === 2 * realKills &&
        wrongReal.length === 0 &&
        doubled.length > 0,
    };
  },
};

function describe(runs: readonly KilledRun[]): string {
  return runs
    .map(
      ({ moments, summary, pushes }) =>
        ` (killed at ${moments.join(", ")}: ${summary.outcome} ${summary.reason}, ${summary.sessions.join(", ")}, ${summary.events.length} events, ${pushes} pushes)`,
    )
    .join("");
}
