/** Prints the figures beside their bare floors: `node bench/main.ts [ID…]`. Exit code 1 if one is out of bounds. */
import { eventLatencyBench } from "./event-latency.ts";
import type { Benchmark, Figure } from "../measure/benchmark.ts";
import { memoryPerSessionBench } from "./memory-per-session.ts";
import { startOverheadBench } from "./start-overhead.ts";
import { throughputBench } from "./throughput.ts";

const benchmarks: readonly Benchmark[] = [
  startOverheadBench,
  eventLatencyBench,
  throughputBench,
  memoryPerSessionBench,
];

const requestedIds = process.argv.slice(2);
const unknownIds = requestedIds.filter((id) => !benchmarks.some((bench) => bench.id === id));
if (unknownIds.length > 0) {
  console.error(`There is no bench ${unknownIds.join(", ")}. Known: ${benchmarks.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const bench of benchmarks.filter(({ id }) => requestedIds.length === 0 || requestedIds.includes(id))) {
  figures.push(...(await bench.measure()));
}
console.log("figure · measured · bare floor · ratio · bound");
for (const { name, measured, floor, ratio, bound, holds } of figures) {
  console.log([name, measured, floor, ratio, `${bound}${holds ? "" : " · OUT OF BOUNDS"}`].join(" · "));
  if (!holds) process.exitCode = 1;
}
