import type { SpoolRecord } from "@fairlead/contract";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { prototypeKeys } from "./hostile-values.ts";
import { mutateJson } from "./mutate-json.ts";

type Mutate = (records: SpoolRecord[], at: number, random: SeededRandom) => void;

/**
 * Changes a few places of a recording at and after an index. The records stay in the order of their sequence numbers,
 * because the spool's checksums guarantee it. The contents may be anything.
 */
export function mutateRecords(original: readonly SpoolRecord[], from: number, random: SeededRandom): SpoolRecord[] {
  const records = [...original];
  let at = from;
  for (let left = 1 + random.nextBelow(4); left > 0 && at < records.length; left -= 1) {
    random.pick(mutations)(records, at, random);
    at += random.nextBelow(3) * random.nextBelow(5);
  }
  return records.map((record, index) => ({ ...record, seq: index + 1 }));
}

const mutations: readonly [Mutate, ...Mutate[]] = [
  ...repeat(8, mutateLine),
  ...repeat(2, flipBit),
  ...repeat(2, truncate),
  insertBytes,
  duplicateBytes,
  ...repeat(2, changeLines),
  splitRecord,
  dropRecord,
  duplicateRecord,
  swapRecords,
  moveRecord,
  changeEnvelope,
];

function repeat(count: number, mutate: Mutate): [Mutate, ...Mutate[]] {
  return [mutate, ...Array.from({ length: count - 1 }, () => mutate)];
}

/** Changes one line of JSON, so that the dialect gets past its parser. */
function mutateLine(records: SpoolRecord[], at: number, random: SeededRandom): void {
  changeBytes(records, at, (bytes) => {
    const lines = bytes.toString("utf8").split("\n");
    const index = random.nextBelow(lines.length);
    const parsed = parse(lines[index] ?? "") ?? parse(lines[0] ?? "");
    if (parsed === undefined) return flip(bytes, random);
    // A message of the protocol often contains another one as text.
    lines[index] = JSON.stringify(mutateJson(parsed, random)) ?? "null";
    return Buffer.from(lines.join("\n"));
  });
}

function flipBit(records: SpoolRecord[], at: number, random: SeededRandom): void {
  changeBytes(records, at, (bytes) => flip(bytes, random));
}

function flip(bytes: Buffer, random: SeededRandom): Buffer {
  const copy = Buffer.from(bytes);
  for (let left = 1 + random.nextBelow(3); left > 0 && copy.length > 0; left -= 1) {
    const index = random.nextBelow(copy.length);
    copy[index] = (copy[index] ?? 0) ^ (1 << random.nextBelow(8));
  }
  return copy;
}

function truncate(records: SpoolRecord[], at: number, random: SeededRandom): void {
  changeBytes(records, at, (bytes) => bytes.subarray(0, random.nextBelow(bytes.length + 1)));
}

const insertions: readonly [Buffer, ...Buffer[]] = [
  Buffer.from([0xff, 0xfe, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xf0, 0x9f]),
  Buffer.from([0]),
  Buffer.from("\n"),
  Buffer.from("\r\n\r\n"),
  Buffer.from('"'),
  Buffer.from("\\u0000"),
  Buffer.from("[".repeat(3000)),
  Buffer.from('{"a":'.repeat(3000)),
  Buffer.from("9".repeat(400)),
  Buffer.from("x".repeat(20_000)),
  Buffer.from("1e999"),
  ...prototypeKeys.map((key) => Buffer.from(key)),
];

function insertBytes(records: SpoolRecord[], at: number, random: SeededRandom): void {
  changeBytes(records, at, (bytes) => {
    const index = random.nextBelow(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, index), random.pick(insertions), bytes.subarray(index)]);
  });
}

function duplicateBytes(records: SpoolRecord[], at: number, random: SeededRandom): void {
  changeBytes(records, at, (bytes) => {
    const start = random.nextBelow(bytes.length + 1);
    const end = start + random.nextBelow(bytes.length - start + 1);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  });
}

/** Drops, doubles, reorders or inserts whole lines. */
function changeLines(records: SpoolRecord[], at: number, random: SeededRandom): void {
  const other = records[1 + random.nextBelow(records.length - 1)];
  changeBytes(records, at, (bytes) => {
    const lines = bytes.toString("latin1").split("\n");
    const index = random.nextBelow(lines.length);
    const [line = ""] = lines.splice(index, 1);
    const kind = random.nextBelow(4);
    if (kind === 1) lines.splice(index, 0, line, line);
    if (kind === 2) lines.splice(random.nextBelow(lines.length + 1), 0, line);
    if (kind === 3) lines.splice(index, 0, line, Buffer.from(other?.bytes ?? []).toString("latin1"));
    return Buffer.from(lines.join("\n"), "latin1");
  });
}

function splitRecord(records: SpoolRecord[], at: number, random: SeededRandom): void {
  const record = records[at];
  if (record === undefined) return;
  const end = random.nextBelow(record.bytes.length + 1);
  const parts = [record.bytes.subarray(0, end), record.bytes.subarray(end)];
  records.splice(at, 1, ...parts.map((bytes) => ({ ...record, bytes })));
}

function dropRecord(records: SpoolRecord[], at: number): void {
  records.splice(at, 1);
}

function duplicateRecord(records: SpoolRecord[], at: number): void {
  const record = records[at];
  if (record !== undefined) records.splice(at, 0, record);
}

function swapRecords(records: SpoolRecord[], at: number): void {
  records.splice(at, 2, ...records.slice(at, at + 2).toReversed());
}

function moveRecord(records: SpoolRecord[], at: number, random: SeededRandom): void {
  const [record] = records.splice(at, 1);
  if (record !== undefined) records.splice(at + random.nextBelow(records.length - at + 1), 0, record);
}

/** The fields that the keeper writes. Every process of the user can write to a spool, also the agent. */
function changeEnvelope(records: SpoolRecord[], at: number, random: SeededRandom): void {
  const record = records[at];
  if (record === undefined) return;
  const kinds = ["note", "launch", "in", "stdin-closed", "signal", "out", "err", "exit", "screen"] as const;
  const changes: readonly [Partial<SpoolRecord>, ...Partial<SpoolRecord>[]] = [
    { kind: random.pick(kinds) },
    { kind: random.pick(kinds), bytes: Buffer.alloc(0) },
    { id: random.pick(["", "lease", "opening", ...prototypeKeys]) },
    { process: random.pick([0, 1, 65_535]) },
    // A spool stores microseconds in 64 bits.
    { at: random.pick([0, 1, 8.64e15, Math.floor(2 ** 64 / 1000)]) },
  ];
  records[at] = { ...record, ...random.pick(changes) };
}

function changeBytes(records: SpoolRecord[], at: number, change: (bytes: Buffer) => Uint8Array): void {
  const record = records[at];
  if (record === undefined) return;
  const { buffer, byteOffset, byteLength } = record.bytes;
  records[at] = { ...record, bytes: change(Buffer.from(buffer, byteOffset, byteLength)) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
