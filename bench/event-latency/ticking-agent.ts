/** An agent that says what time it is, so many times a second: `node ticking-agent.ts OPTIONS`. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

export interface TickingOptions {
  readonly rate: number;
  readonly count: number;
}

const { rate, count } = JSON.parse(process.argv[2] ?? "") as TickingOptions;
const say = (said: object): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

say({ type: "hello", conversation: "ticking", model: "none" });
await once(process.stdin, "data");
const began = performance.now();
for (let said = 0; said < count;) {
  const due = Math.min(count, ((performance.now() - began) / 1000) * rate);
  // The clock is the machine's: another process reads the same.
  for (; said < due; said += 1) say({ type: "spoken", what: "text", text: String(process.hrtime.bigint()) });
  await wait(1);
}
say({ type: "done", outcome: "completed" });
process.stdin.resume();
