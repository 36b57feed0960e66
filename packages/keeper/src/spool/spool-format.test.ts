import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpoolRecord } from "@fairlead/contract";
import {
  decodeHeader,
  decodeRecords,
  encodeHeader,
  encodeRecord,
  maxIdBytes,
  maxPayloadBytes,
} from "./spool-format.ts";

const kinds = ["note", "launch", "in", "stdin-closed", "signal", "out", "err", "exit", "screen"] as const;

const anyRecord = fc.record({
  kind: fc.constantFrom(...kinds),
  process: fc.integer({ min: 0, max: 65_535 }),
  at: fc.integer({ min: 0, max: 8_000_000_000_000 }),
  id: fc.string({ unit: "binary", maxLength: 40 }),
  bytes: fc.uint8Array({ maxLength: 300 }),
});
const anySpool = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 48 }), fc.array(anyRecord, { maxLength: 8 }))
  .map(([before, records]) => ({
    before,
    records: records.map((record, index) => ({ ...record, seq: before + 1 + index })),
  }));

function encode(records: readonly SpoolRecord[]): Buffer {
  return Buffer.concat(records.map((record) => encodeRecord(record, 1n)));
}

function plain(records: readonly SpoolRecord[]): unknown[] {
  return records.map((record) => ({ ...record, bytes: [...record.bytes] }));
}

const sample: SpoolRecord = {
  seq: 1,
  kind: "in",
  process: 3,
  at: 1_700_000_000_123,
  id: "request-é",
  bytes: Buffer.from("hi"),
};

describe("records", () => {
  test("are decoded as they were encoded", () => {
    fc.assert(
      fc.property(anySpool, ({ before, records }) => {
        const decoded = decodeRecords(encode(records), before);
        expect(plain(decoded.records)).toEqual(plain(records));
        expect(decoded.tail).toEqual({ state: "complete" });
        expect(decoded.lastSeq).toBe(before + records.length);
      }),
    );
  });

  test("have the layout in docs/internals/spool.md", () => {
    const bytes = Buffer.from(encodeRecord(sample, 7n));
    expect(bytes.readUInt32LE(0)).toBe(bytes.length - 8);
    expect(bytes.readUInt8(8)).toBe(3);
    expect(bytes.readUInt16LE(10)).toBe(3);
    expect(bytes.readBigUInt64LE(12)).toBe(1n);
    expect(bytes.readBigUInt64LE(20)).toBe(1_700_000_000_123_000n);
    expect(bytes.readBigUInt64LE(28)).toBe(7n);
    expect(bytes.readUInt16LE(36)).toBe(10);
    expect(bytes.toString("utf8", 38)).toBe("request-éhi");
  });

  test("cut at any byte give the intact records before the cut and a torn tail", () => {
    fc.assert(
      fc.property(anySpool, fc.nat(), ({ before, records }, position) => {
        const ends = records.map((_, index) => encode(records.slice(0, index + 1)).length);
        const cut = position % ((ends.at(-1) ?? 0) + 1);
        const decoded = decodeRecords(encode(records).subarray(0, cut), before);
        expect(decoded.records.length).toBe(ends.filter((end) => end <= cut).length);
        expect(decoded.tail.state).toBe(cut === 0 || ends.includes(cut) ? "complete" : "torn");
      }),
    );
  });

  test("with any flipped bit are never decoded as other records", () => {
    const records = [1, 2, 3].map((seq) => ({ ...sample, seq }));
    const whole = encode(records);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const decoded = decodeRecords(flipped, 0);
      const intact = Math.floor((bit >> 3) / (whole.length / 3));
      expect(plain(decoded.records)).toEqual(plain(records.slice(0, intact)));
      expect(decoded.tail.state).not.toBe("complete");
    }
  });

  test("of an unknown kind are skipped", () => {
    const future = Buffer.from(encodeRecord({ ...sample, seq: 2 }, 1n));
    future.writeUInt8(200, 8);
    future.writeUInt32LE(crc32(future.subarray(8)), 4);
    const decoded = decodeRecords(Buffer.concat([encode([sample]), future, encode([{ ...sample, seq: 3 }])]), 0);
    expect(decoded.records.map((record) => record.seq)).toEqual([1, 3]);
    expect(decoded.tail).toEqual({ state: "complete" });
  });

  test("out of sequence are damage", () => {
    const decoded = decodeRecords(encode([sample, { ...sample, seq: 3 }]), 0);
    expect(decoded.records.length).toBe(1);
    expect(decoded.tail).toMatchObject({ state: "damaged", reason: "record 3 follows record 1" });
  });

  test("of an impossible length are damage", () => {
    for (const length of [0, 29, 2 ** 32 - 1]) {
      const bytes = encode([sample]);
      bytes.writeUInt32LE(length, 0);
      expect(decodeRecords(bytes, 0).tail.state).toBe("damaged");
    }
  });

  test("have limits for id and payload", () => {
    const largest = { ...sample, id: "i".repeat(maxIdBytes), bytes: Buffer.alloc(maxPayloadBytes) };
    expect(decodeRecords(encode([largest]), 0).records.length).toBe(1);
    expect(() => encode([{ ...sample, bytes: Buffer.alloc(maxPayloadBytes + 1) }])).toThrow(RangeError);
    expect(() => encode([{ ...sample, id: "i".repeat(maxIdBytes + 1) }])).toThrow(RangeError);
  });
});

test("decodeHeader tells a complete, torn, damaged and newer header apart", () => {
  const header = Buffer.from(encodeHeader());
  expect(header.length).toBe(16);
  expect(decodeHeader(header)).toEqual({ state: "complete" });
  expect(decodeHeader(header.subarray(0, 15)).state).toBe("torn");
  expect(decodeHeader(Buffer.alloc(16)).state).toBe("damaged");
  header.writeUInt32LE(2, 12);
  expect(decodeHeader(header)).toMatchObject({ state: "damaged", reason: "the file has format version 2, not 1" });
});
