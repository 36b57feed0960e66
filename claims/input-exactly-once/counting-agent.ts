/** An agent that records which complete messages it received: `node counting-agent.ts FILE`. */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const file = JSON.parse(process.argv[2] ?? "") as string;
const writeMessage = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

writeMessage({ type: "hello", conversation: "counting", model: "none" });
for await (const line of createInterface({ input: process.stdin })) {
  const heard = JSON.parse(line) as { type: string; text: string };
  if (heard.type !== "message") continue;
  appendFileSync(file, `${createHash("sha256").update(heard.text).digest("hex")}\n`);
  writeMessage({ type: "done", outcome: "completed" });
}
