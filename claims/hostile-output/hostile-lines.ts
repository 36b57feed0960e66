import { isUtf8 } from "node:buffer";
import { Chance } from "../chance.ts";

/** A line that an agent prints, without its end, and what must become of it. */
export interface HostileLine {
  readonly bytes: Uint8Array;
  /** The text of a good line; null for one that nobody can understand. */
  readonly good: string | null;
}

/** What it says first, so that it is known to be there. */
export const hello = JSON.stringify({ type: "hello", conversation: "hostile", model: "none" });

const goodEvery = 100;
const veryDeep = 100_000;
const said = [
  '{"type":"delta","what":"text","text":"a part"}',
  '{"type":"spoken","what":"thinking","text":"so"}',
  '{"type":"done","outcome":"completed"}',
  '{"type":"may-i","decision":"d","call":"c","name":"run","input":{"command":"true"}}',
] as const;

/** Ways to be hostile. None of them makes a line that the scripted dialect knows, an empty one, or two. */
const makers: readonly [(chance: Chance) => Uint8Array, ...((chance: Chance) => Uint8Array)[]] = [
  (chance) => randomBytes(chance, 1 + chance.below(200), 256),
  (chance) => randomBytes(chance, 1 + chance.below(100), 128),
  (chance) =>
    Buffer.concat([Buffer.from('{"type":"spoken","text":"'), randomBytes(chance, 20, 256), Buffer.from('"}')]),
  (chance) => text(cut(chance, chance.pick(said))),
  (chance) => text(`${"}]x,:"[chance.below(5)]}${chance.pick(said)}`),
  (chance) => text(chance.pick(said).replace('"type":"', `"type":"un`)),
  (chance) => text(chance.pick(said).replace(/}$/, `,"more":${chance.below(1000)}}`)),
  (chance) => text(`\0${chance.pick(said)}\0`),
  (chance) => text(`\u001b[${chance.below(50)}m${chance.pick(said)}\u001b[0m\u001b]0;title\u0007\r${chance.below(9)}`),
  (chance) =>
    text(`{"__proto__":{"polluted":${chance.below(9)}},"constructor":{"prototype":{"polluted":1}},"type":"x"}`),
  (chance) => text("[".repeat(1 + chance.below(2000))),
  (chance) => text(`${'{"a":'.repeat(300)}1${"}".repeat(300)}${chance.below(9)}`),
  (chance) => text(`"\\ud800 ${chance.below(9)} \u{1f600} \u2028"`),
];

/** The same lines for the same seed, for who prints them and for who checks what became of them. */
export function* hostileLines(seed: number, count: number): Generator<HostileLine> {
  const chance = new Chance(seed);
  yield { bytes: text("[".repeat(veryDeep) + "]".repeat(veryDeep)), good: null };
  yield { bytes: text('{"a":'.repeat(veryDeep) + "1" + "}".repeat(veryDeep)), good: null };
  for (let number = 3; number <= count; number += 1) {
    if (number % goodEvery === 0) yield goodLine(`good ${number}`);
    else yield { bytes: chance.pick(makers)(chance), good: null };
  }
}

export function goodLine(words: string): HostileLine {
  return { bytes: text(JSON.stringify({ type: "spoken", what: "text", text: words })), good: words };
}

/** What the journal must have of a line that is not too long: its beginning, as text if it is any. */
export function rawOf(bytes: Uint8Array): string {
  const line = Buffer.from(bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes);
  return isUtf8(line) ? line.toString("utf8").slice(0, 4000) : line.toString("latin1").slice(0, 1000);
}

function text(characters: string): Uint8Array {
  return Buffer.from(characters);
}

function cut(chance: Chance, whole: string): string {
  return whole.slice(0, 1 + chance.below(whole.length - 1));
}

/** Never a line end, and never a carriage return alone, which would be an empty line. */
function randomBytes(chance: Chance, length: number, limit: number): Uint8Array {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) {
    const byte = chance.below(limit);
    bytes[at] = byte === 0x0a || (byte === 0x0d && length === 1) ? 0x7f : byte;
  }
  return bytes;
}
