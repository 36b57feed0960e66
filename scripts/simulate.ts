/**
 * Simulates sessions, each with the faults of its seed: `node scripts/simulate.ts [--seeds N] [--from SEED]`. With
 * `--seed SEED` it does one again and tells what happens; with `--defect NAME` something is broken on purpose; with
 * `--without FAULT` that kind of fault is left out.
 */
import { registerHooks } from "node:module";
import { parseArgs } from "node:util";
import type { FaultKind } from "../packages/runtime/src/simulation/faults-for-test.ts";
import type { Defect } from "../packages/runtime/src/simulation/world-for-test.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    defect: { type: "string" },
    without: { type: "string", multiple: true },
  },
});

// The keeper has no place to put another kind of process, so its module is exchanged.
const simulated = new URL("../packages/runtime/src/simulation/held-process-for-test.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "./held-process.ts" ? { url: simulated, shortCircuit: true } : next(specifier, context),
});
const { Simulation } = await import("../packages/runtime/src/simulation/simulation-for-test.ts");

const defect = values.defect as Defect | undefined;
const without = values.without as FaultKind[] | undefined;
const from = Number(values.seed ?? values.from);
const last = values.seed === undefined ? from + Number(values.seeds) - 1 : from;
const trace = values.seed === undefined ? undefined : (line: string): void => console.log(line);
const began = performance.now();
let failed = 0;
for (let seed = from; seed <= last; seed += 1) {
  const { violations, faults, steps, events } = await Simulation.run(seed, { defect, trace, without });
  if (trace !== undefined) console.log(`${steps} steps, ${events} events`);
  if (violations.length === 0) continue;
  failed += 1;
  console.log(`seed ${seed}\n  ${[...faults, ...violations].join("\n  ")}`);
}
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(`${last - from + 1} seeds in ${seconds} s, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
