import { expect, test } from "vitest";
import { Simulation, type SimulationOutcome } from "./simulation.ts";
import { defects, type Defect } from "./simulated-world.ts";

const seeds = 2000;

async function* simulate(count: number, defect?: Defect): AsyncGenerator<SimulationOutcome> {
  for (let seed = 1; seed <= count; seed += 1) yield await Simulation.run(seed, { defect });
}

function describeOutcome({ seed, faults, violations }: SimulationOutcome): string {
  return [`seed ${seed} (node scripts/simulate.ts --seed ${seed})`, ...faults, ...violations].join("\n  ");
}

test(`no invariant is violated in ${seeds} seeds`, { timeout: 240_000 }, async () => {
  const startedAt = performance.now();
  const failed: string[] = [];
  let events = 0;
  for await (const outcome of simulate(seeds)) {
    events += outcome.events;
    if (outcome.violations.length > 0) failed.push(describeOutcome(outcome));
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${seeds} seeds, ${events} events, in ${seconds} s`);
  expect(failed).toEqual([]);
  // Sessions without events would prove nothing.
  expect(events / seeds).toBeGreaterThan(8);
});

test("the same seed produces the same trace", async () => {
  for (const seed of [7, 42, 101]) {
    const traces = [[], []] as [string[], string[]];
    for (const trace of traces) await Simulation.run(seed, { trace: (line) => trace.push(line) });
    expect(traces[0].length).toBeGreaterThan(5);
    expect(traces[0]).toEqual(traces[1]);
  }
});

/** The invariant that must detect each defect. A violation of another one would prove less. */
const detectedBy: Readonly<Record<Defect, RegExp>> = {
  "actor-forgets-journaled": /^the journal has exactly the events of the spool/,
  "keeper-without-memory": /was delivered twice$/,
  "keeper-without-sync": /^the journal has an event of record/,
  "published-before-written": /^each published event is in the journal/,
  "journal-without-fence": /^only the owner appended/,
};

test.each(defects)("detects the defect %s within 200 seeds", { timeout: 60_000 }, async (defect) => {
  for await (const { seed, violations } of simulate(200, defect)) {
    const violation = violations.find((message) => detectedBy[defect].test(message));
    if (violation === undefined) continue;
    console.log(`${defect}: detected by seed ${seed}: ${violation.slice(0, 160)}`);
    return;
  }
  expect.fail("No violation in 200 seeds.");
});
