/**
 * An agent that speaks as the scripted one. For a message it asks about a command, many times, and says how many milliseconds
 * each answer took: from the request in its output to the answer in its input. `node asking-agent.ts OPTIONS`
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

export interface AskingAgentOptions {
  readonly command: string;
  readonly count: number;
}

const { command, count } = JSON.parse(process.argv[2] ?? "") as AskingAgentOptions;
const say = (output: object): void => void process.stdout.write(`${JSON.stringify(output)}\n`);
const lines = createInterface({ input: process.stdin });
const input = { command };

say({ type: "hello", conversation: randomUUID(), model: "script" });
await once(lines, "line");
const times: number[] = [];
for (let nth = 0; nth < count; nth += 1) {
  const id = randomUUID();
  say({ type: "call", call: id, name: "run", input });
  const start = performance.now();
  say({ type: "may-i", decision: id, call: id, name: "run", input });
  await once(lines, "line");
  times.push(performance.now() - start);
  say({ type: "running", call: id });
  say({ type: "result", call: id, ok: true, output: "" });
  // A model thinks between two calls. Without a pause, the next request would wait for the storage of this one.
  await wait(20);
}
say({ type: "spoken", what: "text", text: JSON.stringify(times) });
say({ type: "done", outcome: "completed" });
