/** An agent that prints the time at a fixed rate: `node ticking-agent.ts OPTIONS`. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

export interface TickingOptions {
  readonly rate: number;
  readonly count: number;
}

const { rate, count } = JSON.parse(process.argv[2] ?? "") as TickingOptions;
const writeMessage = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

writeMessage({ type: "hello", conversation: "ticking", model: "none" });
await once(process.stdin, "data");
const startedAt = performance.now();
for (let said = 0; said < count;) {
  const due = Math.min(count, ((performance.now() - startedAt) / 1000) * rate);
  // The clock is the machine's, so another process reads the same.
  for (; said < due; said += 1) writeMessage({ type: "spoken", what: "text", text: String(process.hrtime.bigint()) });
  await wait(1);
}
writeMessage({ type: "done", outcome: "completed" });
process.stdin.resume();
