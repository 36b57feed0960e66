/** Prints the figures beside their bare floors: `node bench/main.ts [ID…]`; exit code 1 if one is out of bounds. */
import { eventLatencyBench } from "./event-latency.ts";
import type { Bench, Figure } from "./figure.ts";
import { memoryPerSessionBench } from "./memory-per-session.ts";
import { startOverheadBench } from "./start-overhead.ts";
import { throughputBench } from "./throughput.ts";

const benches: readonly Bench[] = [startOverheadBench, eventLatencyBench, throughputBench, memoryPerSessionBench];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((id) => !benches.some((bench) => bench.id === id));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. Known: ${benches.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const bench of benches.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
  figures.push(...(await bench.measure()));
}
console.log("figure · measured · bare floor · ratio · bound");
for (const { name, measured, floor, ratio, bound, holds } of figures) {
  console.log([name, measured, floor, ratio, `${bound}${holds ? "" : " · OUT OF BOUNDS"}`].join(" · "));
  if (!holds) process.exitCode = 1;
}
