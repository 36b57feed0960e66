/** Reads so many ticking agents over bare pipes, the least that there could be: `node bare-readers.ts OPTIONS`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { quantile } from "../../bench/quantile.ts";
import type { Read } from "../daemon/readers.ts";

export interface BareReadersOptions {
  readonly program: string;
  readonly argument: string;
  readonly count: number;
}

const { program, argument, count } = JSON.parse(process.argv[2] ?? "") as BareReadersOptions;
const ages: number[] = [];
const { promise: allAreThere, resolve: lastIsThere } = Promise.withResolvers<void>();
let arrived = 0;

async function read(): Promise<void> {
  const agent = spawn("perl", [new URL(program).pathname, JSON.stringify(argument)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: agent.stdout })) {
    const now = performance.timeOrigin + performance.now();
    const said = JSON.parse(line) as { type: string; text?: string };
    if (said.type === "hello") {
      if ((arrived += 1) === count) lastIsThere();
      await allAreThere;
      agent.stdin.write(`Begin at ${Date.now()}\n`);
    }
    if (said.type === "spoken") ages.push(now - Number(said.text) * 1000);
    if (said.type === "done") agent.stdin.end();
  }
}

await Promise.all(Array.from({ length: count }, read));
const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => quantile(ages, share)) as [number, number, number];
console.log(JSON.stringify({ heard: ages.length, p50, p99, worst } satisfies Read));
