import { expect, test, vi } from "vitest";
import { Simulation, type Outcome } from "./simulation-for-test.ts";
import { defects, type Defect } from "./world-for-test.ts";

// The keeper has no place to put another kind of process, so its module is exchanged.
vi.mock("../../../keeper/src/held-process.ts", () => import("./held-process-for-test.ts"));

const seeds = 2000;

async function* simulate(count: number, defect?: Defect): AsyncGenerator<Outcome> {
  for (let seed = 1; seed <= count; seed += 1) yield await Simulation.run(seed, { defect });
}

function describe({ seed, faults, violations }: Outcome): string {
  return [`seed ${seed} (node scripts/simulate.ts --seed ${seed})`, ...faults, ...violations].join("\n  ");
}

test(`${seeds} seeds keep every promise`, { timeout: 240_000 }, async () => {
  const began = performance.now();
  const failed: string[] = [];
  let events = 0;
  for await (const outcome of simulate(seeds)) {
    events += outcome.events;
    if (outcome.violations.length > 0) failed.push(describe(outcome));
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${seeds} seeds, ${events} events, in ${seconds} s`);
  expect(failed).toEqual([]);
  // A session in which nothing happens proves nothing.
  expect(events / seeds).toBeGreaterThan(8);
});

test("the same seed is the same run, to the event", async () => {
  for (const seed of [7, 42, 101]) {
    const traces = [[], []] as [string[], string[]];
    for (const trace of traces) await Simulation.run(seed, { trace: (line) => trace.push(line) });
    expect(traces[0].length).toBeGreaterThan(5);
    expect(traces[0]).toEqual(traces[1]);
  }
});

/** What each defect must be caught by: something else that it breaks as well would prove less. */
const caughtBy: Readonly<Record<Defect, RegExp>> = {
  "actor-forgets-journaled": /^the journal is what the spool gives/,
  "keeper-without-memory": /was delivered twice$/,
  "keeper-without-sync": /^the journal knows record/,
  "published-before-written": /^what was published is in the journal/,
  "journal-without-fence": /^only the owner wrote/,
};

test.each(defects)("%s would be caught within 200 seeds", { timeout: 60_000 }, async (defect) => {
  for await (const { seed, violations } of simulate(200, defect)) {
    const violation = violations.find((one) => caughtBy[defect].test(one));
    if (violation === undefined) continue;
    console.log(`${defect}: caught by seed ${seed}: ${violation.slice(0, 160)}`);
    return;
  }
  expect.fail("200 seeds did not notice");
});
