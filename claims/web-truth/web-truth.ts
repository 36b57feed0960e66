import type { Claim } from "../../measure/claim.ts";
import { quantile } from "../../measure/quantile.ts";
import { runQuietly } from "../../scripts/run.ts";
import { ensureBuilt } from "../daemon/built.ts";
import type { OutageKind, OutageResult } from "./outages.ts";

/**
 * How often each outage happens. Half of the cuts swallow what is sent, which a browser does not notice. Half of the frozen
 * tabs find their connections dead.
 */
const parts: readonly (readonly [kind: OutageKind, rounds: number])[] = [
  ["kill", 20],
  ["drop", 10],
  ["blackhole", 10],
  ["freeze", 10],
  ["sleep", 10],
];
const controlRounds = 2;
const maxTime = 3000;
/** A frozen page stands still as long as it is frozen; its timers run every 50 ms. */
const maxMissedPause = 250;

export const webTruth: Claim = {
  id: "web-truth",
  statement:
    "After every outage the page shows what the journal has, and during it the page says that it is not current.",
  bound: `the list of sessions, a timeline at its end and the inbox, while agents work, ask and end: daemon killed 20 times, network cut 20 times (10 with reset connections, 10 with swallowed ones), tab frozen and thawed 20 times by stopping its process (10 with connections that the network has forgotten meanwhile), in which its timers stood still: after each, all three equal the journals at most ${maxTime / 1000} s after the service answers again, and said meanwhile that they are not current; control with a timeline that cannot connect again: never equal`,
  async prove() {
    await ensureBuilt();
    const results: OutageResult[] = [];
    for (const [kind, rounds] of parts) results.push(await runOutages(kind, rounds));
    const control = await runOutages("control", controlRounds);
    const controlEqual = control.times.filter((time) => time !== null).length;
    return {
      measured: [
        ...results.map(describe),
        `control: ${controlEqual} of ${control.rounds} equal`,
        ...results.flatMap(({ differences, problems }) => [...differences, ...problems]),
      ].join("; "),
      holds:
        controlEqual === 0 &&
        results.every(
          ({ rounds, times, stale, missedPause, problems }) =>
            stale === rounds &&
            (missedPause ?? 0) <= maxMissedPause &&
            problems.length === 0 &&
            times.every((time) => time !== null && time <= maxTime),
        ),
    };
  },
};

function describe({ kind, rounds, times, stale, missedPause }: OutageResult): string {
  const equal = times.filter((time) => time !== null);
  const still =
    missedPause === null ? " meanwhile" : `, pages stood still for all but ${Math.max(0, missedPause).toFixed(0)} ms`;
  const spread = `p50 ${quantile(equal, 0.5)} ms, at most ${Math.max(...equal)} ms`;
  return `${kind}: ${equal.length} of ${rounds} equal after ${spread}; ${stale} said stale${still}`;
}

async function runOutages(kind: OutageKind, rounds: number): Promise<OutageResult> {
  const { code, output } = await runQuietly("scripts/offline", [
    "node",
    "claims/web-truth/outages.ts",
    kind,
    String(rounds),
  ]);
  const line = output.split("\n").find((one) => one.startsWith('{"kind"'));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as OutageResult;
}
