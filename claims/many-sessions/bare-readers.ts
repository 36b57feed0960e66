/** The bare floor: reads ticking agents over pipes: `node bare-readers.ts OPTIONS`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { quantile } from "../../measure/quantile.ts";
import type { ReadResult } from "../daemon/readers.ts";

export interface BareReadersOptions {
  readonly program: string;
  readonly argument: string;
  readonly count: number;
}

const { program, argument, count } = JSON.parse(process.argv[2] ?? "") as BareReadersOptions;
const ages: number[] = [];
const { promise: allReady, resolve: resolveAllReady } = Promise.withResolvers<void>();
let readyCount = 0;

async function read(): Promise<void> {
  const agent = spawn("perl", [new URL(program).pathname, JSON.stringify(argument)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: agent.stdout })) {
    const now = performance.timeOrigin + performance.now();
    const message = JSON.parse(line) as { type: string; text?: string };
    if (message.type === "hello") {
      if ((readyCount += 1) === count) resolveAllReady();
      await allReady;
      agent.stdin.write(`Begin at ${Date.now()}\n`);
    }
    if (message.type === "spoken") ages.push(now - Number(message.text) * 1000);
    if (message.type === "done") agent.stdin.end();
  }
}

await Promise.all(Array.from({ length: count }, read));
const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => quantile(ages, share)) as [number, number, number];
console.log(JSON.stringify({ received: ages.length, p50, p99, worst } satisfies ReadResult));
