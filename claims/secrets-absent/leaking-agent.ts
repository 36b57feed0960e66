/**
 * An agent that prints its secret in every encoding, split at every byte: `node leaking-agent.ts SESSIONS [terminal]`. It
 * waits until the keeper has recorded the first part before it writes the second, so that no chunk has both.
 */
import { readdirSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { encodeValue } from "./encodings.ts";

const [sessions, mode] = [process.argv[2] ?? "", process.argv[3]];
const spool = join(sessions, process.env["FAIRLEAD_SESSION"] ?? "", "spool");
const values = encodeValue(process.env["CLAIM_TOKEN"] ?? process.env["CLAIM_PHRASE"] ?? "");
const pause = new Int32Array(new SharedArrayBuffer(4));

function readSpoolSize(): number {
  return readdirSync(spool).reduce((sum, name) => sum + statSync(join(spool, name)).size, 0);
}

/** Prints each value whole, then at each split. Returns the number of splits. */
function printAtEverySplit(fd: number, before: string, after: string): number {
  let splits = 0;
  for (const { text } of values) writeSync(fd, `${before}${text}${after}`);
  for (const { text } of values) {
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++) {
      const size = readSpoolSize();
      writeSync(fd, Buffer.concat([Buffer.from(before), bytes.subarray(0, at)]));
      while (readSpoolSize() === size) Atomics.wait(pause, 0, 0, 0.2);
      writeSync(fd, Buffer.concat([bytes.subarray(at), Buffer.from(after)]));
      splits += 1;
    }
  }
  return splits;
}

const print = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const save = (name: string, content: unknown): void => writeFileSync(name, JSON.stringify(content));

if (mode === "terminal") {
  save("screen-splits", printAtEverySplit(1, "screen: ", "\n"));
  process.exit(0);
}

print({ type: "hello", conversation: "leaking", model: "none" });
for await (const line of createInterface({ input: process.stdin })) {
  const input = JSON.parse(line) as { type: string; text?: string; input?: unknown };
  if (input.type === "message") {
    save("message", input.text);
    const spoken = '{"type":"spoken","what":"text","text":"';
    save("splits", printAtEverySplit(1, spoken, '"}\n') + printAtEverySplit(2, "error: ", "\n"));
    const command = values.map(({ text }) => text).join("\n");
    print({ type: "call", call: "c", name: "run", input: { command } });
    print({ type: "may-i", decision: "d", call: "c", name: "run", input: { command } });
  } else if (input.type === "answer") {
    save("ran", input.input);
    print({ type: "result", call: "c", ok: true, output: values.map(({ text }) => text).join(" ") });
    print({ type: "done", outcome: "completed" });
  }
}
