import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAll, SessionForTest } from "./session-for-test.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { SpoolReader } from "./spool-reader.ts";
import { type Entry, SpoolWriter } from "./spool-writer.ts";

const out = (text: string): Entry => ({ kind: "out", process: 1, id: "", bytes: Buffer.from(text) });

describe("a reader", () => {
  test("of nothing finds nothing, and later what came", () => {
    using session = new SessionForTest();
    const reader = new SpoolReader(session.spool);
    expect(reader.read()).toEqual([]);
    using spool = new SpoolWriter(session.spool);
    expect(reader.read()).toEqual([]);
    const record = spool.append(out("a"));
    expect(reader.read()).toEqual([record]);
    expect(reader.read()).toEqual([]);
  });

  test("follows from segment to segment, wherever it stands when one is full", () => {
    using session = new SessionForTest();
    using spool = new SpoolWriter(session.spool, { segmentBytes: 150 });
    // Each reader looks after another number of records, so that between them all positions occur.
    const readers = [1, 2, 3, 5, 7].map((every) => ({
      every,
      reader: new SpoolReader(session.spool),
      seen: [] as number[],
    }));
    for (let seq = 1; seq <= 60; seq++) {
      spool.append(out(`${seq}`));
      for (const { every, reader, seen } of readers) {
        if (seq % every === 0 || seq === 60) seen.push(...readAll(reader).map((record) => record.seq));
      }
    }
    const all = Array.from({ length: 60 }, (_, index) => index + 1);
    for (const { seen } of readers) expect(seen).toEqual(all);
  });

  test("waits for the rest of a record, byte by byte, and of a header", () => {
    using session = new SessionForTest();
    {
      using spool = new SpoolWriter(session.spool);
      spool.append(out("whole"));
    }
    const file = join(session.spool, "000000000001.spool");
    const bytes = readFileSync(file);
    rmSync(file);
    const reader = new SpoolReader(session.spool);
    for (const byte of bytes) {
      expect(reader.read()).toEqual([]);
      appendFileSync(file, Buffer.of(byte));
    }
    expect(reader.read().map((record) => Buffer.from(record.bytes).toString())).toEqual(["whole"]);
  });

  test("takes a record larger than a batch whole, and many small ones in batches", () => {
    using session = new SessionForTest();
    using spool = new SpoolWriter(session.spool);
    spool.append(out("x".repeat(3_000_000)));
    for (let count = 0; count < 10_000; count++) spool.append(out("small"));
    const reader = new SpoolReader(session.spool);
    expect(reader.read().map((record) => record.bytes.length)).toEqual([3_000_000]);
    expect(reader.read().length).toBeLessThan(10_000);
    readAll(reader);
    expect(reader.lastSeq).toBe(10_001);
  });

  test("gives what stands before damage, and then says where it is", () => {
    using session = new SessionForTest();
    using spool = new SpoolWriter(session.spool);
    spool.append(out("good"));
    const file = join(session.spool, "000000000001.spool");
    const end = readFileSync(file).length;
    spool.append(out("bad"));
    const bytes = readFileSync(file);
    bytes.writeUInt8(0, bytes.length - 1);
    writeFileSync(file, bytes);
    const reader = new SpoolReader(session.spool);
    expect(reader.read().length).toBe(1);
    for (const _ of [1, 2]) expect(() => reader.read()).toThrow(`byte ${end} of 000000000001.spool`);
  });

  test("does not wait for ever in a segment that was cut while later ones exist", () => {
    using session = new SessionForTest();
    using spool = new SpoolWriter(session.spool, { segmentBytes: 100 });
    for (const text of ["a", "b", "c"]) spool.append(out(text));
    const file = join(session.spool, "000000000001.spool");
    truncateSync(file, readFileSync(file).length - 1);
    const reader = new SpoolReader(session.spool);
    expect(reader.read().length).toBe(1);
    expect(() => reader.read()).toThrow(SpoolDamaged);
  });

  test("refuses what is no spool", () => {
    using session = new SessionForTest();
    mkdirSync(session.spool);
    writeFileSync(join(session.spool, "000000000001.spool"), "something else altogether");
    expect(() => new SpoolReader(session.spool).read()).toThrow("does not begin like a spool");
  });
});
