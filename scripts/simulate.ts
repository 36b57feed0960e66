/**
 * Simulates sessions, each with the faults of its seed: `node scripts/simulate.ts [--seeds N] [--from SEED]`. `--seed
 * SEED` runs one seed and prints its trace. `--defect NAME` adds a deliberate defect. `--without FAULT` excludes a kind
 * of fault.
 */
import { parseArgs } from "node:util";
import type { FaultKind } from "../test/simulation/faults.ts";
import type { Defect } from "../test/simulation/simulated-world.ts";
import { Simulation } from "../test/simulation/simulation.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    defect: { type: "string" },
    without: { type: "string", multiple: true },
  },
});

const defect = values.defect as Defect | undefined;
const excludedFaults = values.without as FaultKind[] | undefined;
const from = Number(values.seed ?? values.from);
const last = values.seed === undefined ? from + Number(values.seeds) - 1 : from;
const trace = values.seed === undefined ? undefined : (line: string): void => console.log(line);
const startedAt = performance.now();
let failed = 0;
for (let seed = from; seed <= last; seed += 1) {
  const { violations, faults, steps, events } = await Simulation.run(seed, { defect, trace, excludedFaults });
  if (trace !== undefined) console.log(`${steps} steps, ${events} events`);
  if (violations.length === 0) continue;
  failed += 1;
  console.log(`seed ${seed}\n  ${[...faults, ...violations].join("\n  ")}`);
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${last - from + 1} seeds in ${seconds} s, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
