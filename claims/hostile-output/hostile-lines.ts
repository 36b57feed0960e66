import { isUtf8 } from "node:buffer";
import { SeededRandom } from "../../measure/seeded-random.ts";

/** A line of output without its line end, and its expected event. */
export interface HostileLine {
  readonly bytes: Uint8Array;
  /** The text of a valid line; null for an invalid one. */
  readonly goodText: string | null;
}

/** The first output, which shows that the agent runs. */
export const helloLine = JSON.stringify({ type: "hello", conversation: "hostile", model: "none" });

const goodEvery = 100;
const deepNesting = 100_000;
const knownMessages = [
  '{"type":"delta","what":"text","text":"a part"}',
  '{"type":"spoken","what":"thinking","text":"so"}',
  '{"type":"done","outcome":"completed"}',
  '{"type":"may-i","decision":"d","call":"c","name":"run","input":{"command":"true"}}',
] as const;

/** Kinds of invalid lines. None of them produces a line that the scripted dialect knows, an empty line, or two lines. */
const lineMakers: readonly [(random: SeededRandom) => Uint8Array, ...((random: SeededRandom) => Uint8Array)[]] = [
  (random) => randomBytes(random, 1 + random.nextBelow(200), 256),
  (random) => randomBytes(random, 1 + random.nextBelow(100), 128),
  (random) =>
    Buffer.concat([Buffer.from('{"type":"spoken","text":"'), randomBytes(random, 20, 256), Buffer.from('"}')]),
  (random) => toBytes(truncate(random, random.pick(knownMessages))),
  (random) => toBytes(`${"}]x,:"[random.nextBelow(5)]}${random.pick(knownMessages)}`),
  (random) => toBytes(random.pick(knownMessages).replace('"type":"', `"type":"un`)),
  (random) => toBytes(random.pick(knownMessages).replace(/}$/, `,"more":${random.nextBelow(1000)}}`)),
  (random) => toBytes(`\0${random.pick(knownMessages)}\0`),
  (random) =>
    toBytes(
      `\u001b[${random.nextBelow(50)}m${random.pick(knownMessages)}\u001b[0m\u001b]0;title\u0007\r${random.nextBelow(9)}`,
    ),
  (random) =>
    toBytes(`{"__proto__":{"polluted":${random.nextBelow(9)}},"constructor":{"prototype":{"polluted":1}},"type":"x"}`),
  (random) => toBytes("[".repeat(1 + random.nextBelow(2000))),
  (random) => toBytes(`${'{"a":'.repeat(300)}1${"}".repeat(300)}${random.nextBelow(9)}`),
  (random) => toBytes(`"\\ud800 ${random.nextBelow(9)} \u{1f600} \u2028"`),
];

/** The same seed gives the same lines, for the agent and for the check. */
export function* hostileLines(seed: number, count: number): Generator<HostileLine> {
  const random = new SeededRandom(seed);
  yield { bytes: toBytes("[".repeat(deepNesting) + "]".repeat(deepNesting)), goodText: null };
  yield { bytes: toBytes('{"a":'.repeat(deepNesting) + "1" + "}".repeat(deepNesting)), goodText: null };
  for (let number = 3; number <= count; number += 1) {
    if (number % goodEvery === 0) yield createGoodLine(`good ${number}`);
    else yield { bytes: random.pick(lineMakers)(random), goodText: null };
  }
}

export function createGoodLine(content: string): HostileLine {
  return { bytes: toBytes(JSON.stringify({ type: "spoken", what: "text", text: content })), goodText: content };
}

/** The expected stored text of a line within the limit: its beginning, as text if it is valid UTF-8. */
export function expectedRaw(bytes: Uint8Array): string {
  const line = Buffer.from(bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes);
  return isUtf8(line) ? line.toString("utf8").slice(0, 4000) : line.toString("latin1").slice(0, 1000);
}

function toBytes(characters: string): Uint8Array {
  return Buffer.from(characters);
}

function truncate(random: SeededRandom, whole: string): string {
  return whole.slice(0, 1 + random.nextBelow(whole.length - 1));
}

/** Never a line end, and never a single carriage return, which would be an empty line. */
function randomBytes(random: SeededRandom, length: number, limit: number): Uint8Array {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) {
    const byte = random.nextBelow(limit);
    bytes[at] = byte === 0x0a || (byte === 0x0d && length === 1) ? 0x7f : byte;
  }
  return bytes;
}
