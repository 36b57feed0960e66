/** An agent that prints what no agent should, in pieces that end anywhere: `node hostile-agent.ts OPTIONS`. */
import { once } from "node:events";
import { Chance } from "../chance.ts";
import { goodLine, hello, hostileLines, type HostileLine } from "./hostile-lines.ts";

export interface HostileOptions {
  readonly seed: number;
  readonly lines: number;
  /** The length of a line that does not come to its end for a long time. */
  readonly endless: number;
}

const { seed, lines, endless } = JSON.parse(process.argv[2] ?? "") as HostileOptions;
const chance = new Chance(seed + 1);
const newline = Buffer.from("\n");
let waiting: Uint8Array[] = [];
let size = 0;
let wanted = 1;

async function write(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
}

/** Keeps lines back until there are so many bytes, and then writes just that many. */
async function print({ bytes }: Pick<HostileLine, "bytes">): Promise<void> {
  waiting.push(bytes, newline);
  size += bytes.length + 1;
  if (size < wanted) return;
  const all = Buffer.concat(waiting);
  await write(all.subarray(0, wanted));
  waiting = [all.subarray(wanted)];
  size -= wanted;
  wanted = 1 + chance.below(60_000);
}

await write(Buffer.from(`${hello}\n`));
await once(process.stdin, "data");
for (const line of hostileLines(seed, lines)) await print(line);
await write(Buffer.concat(waiting));
const piece = Buffer.alloc(1 << 20, "x");
for (let left = endless; left > 0; left -= piece.length) await write(piece.subarray(0, Math.min(left, piece.length)));
await write(Buffer.concat([newline, goodLine("after the endless line").bytes, newline]));
await write(Buffer.from(`${JSON.stringify({ type: "done", outcome: "completed" })}\n`));
process.stdin.resume();
