/** An agent that prints invalid output in arbitrary chunks: `node hostile-agent.ts OPTIONS`. */
import { once } from "node:events";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { createGoodLine, helloLine, hostileLines, type HostileLine } from "./hostile-lines.ts";

export interface HostileAgentOptions {
  readonly seed: number;
  readonly lines: number;
  /** The length of a very long line. */
  readonly endlessLength: number;
}

const { seed, lines, endlessLength } = JSON.parse(process.argv[2] ?? "") as HostileAgentOptions;
const random = new SeededRandom(seed + 1);
const newline = Buffer.from("\n");
let buffered: Uint8Array[] = [];
let bufferedSize = 0;
let flushSize = 1;

async function write(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
}

/** Buffers lines and writes chunks of exactly this many bytes. */
async function writeInPieces({ bytes }: Pick<HostileLine, "bytes">): Promise<void> {
  buffered.push(bytes, newline);
  bufferedSize += bytes.length + 1;
  if (bufferedSize < flushSize) return;
  const all = Buffer.concat(buffered);
  await write(all.subarray(0, flushSize));
  buffered = [all.subarray(flushSize)];
  bufferedSize -= flushSize;
  flushSize = 1 + random.nextBelow(60_000);
}

await write(Buffer.from(`${helloLine}\n`));
await once(process.stdin, "data");
for (const line of hostileLines(seed, lines)) await writeInPieces(line);
await write(Buffer.concat(buffered));
const piece = Buffer.alloc(1 << 20, "x");
for (let left = endlessLength; left > 0; left -= piece.length)
  await write(piece.subarray(0, Math.min(left, piece.length)));
await write(Buffer.concat([newline, createGoodLine("after the endless line").bytes, newline]));
await write(Buffer.from(`${JSON.stringify({ type: "done", outcome: "completed" })}\n`));
process.stdin.resume();
