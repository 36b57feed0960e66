import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAllRecords, TestSessionFolder } from "@fairlead/testing/keeper/test-session-folder.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { SpoolReader } from "./spool-reader.ts";
import { type SpoolEntry, SpoolWriter } from "./spool-writer.ts";

const outputEntry = (text: string): SpoolEntry => ({ kind: "out", process: 1, id: "", bytes: Buffer.from(text) });

describe("SpoolReader", () => {
  test("returns nothing for a missing spool, and records once they are written", () => {
    using session = new TestSessionFolder();
    const reader = new SpoolReader(session.spool);
    expect(reader.read()).toEqual([]);
    using spool = new SpoolWriter(session.spool);
    expect(reader.read()).toEqual([]);
    const record = spool.append(outputEntry("a"));
    expect(reader.read()).toEqual([record]);
    expect(reader.read()).toEqual([]);
  });

  test("follows segments from any position in the previous one", () => {
    using session = new TestSessionFolder();
    using spool = new SpoolWriter(session.spool, { segmentBytes: 150 });
    // Each reader reads after a different number of records, so that together they cover all positions.
    const readers = [1, 2, 3, 5, 7].map((every) => ({
      every,
      reader: new SpoolReader(session.spool),
      seqs: [] as number[],
    }));
    for (let seq = 1; seq <= 60; seq++) {
      spool.append(outputEntry(`${seq}`));
      for (const { every, reader, seqs } of readers) {
        if (seq % every === 0 || seq === 60) seqs.push(...readAllRecords(reader).map((record) => record.seq));
      }
    }
    const all = Array.from({ length: 60 }, (_, index) => index + 1);
    for (const { seqs } of readers) expect(seqs).toEqual(all);
  });

  test("waits for the rest of a header and of a record that are written byte by byte", () => {
    using session = new TestSessionFolder();
    {
      using spool = new SpoolWriter(session.spool);
      spool.append(outputEntry("whole"));
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

  test("returns a record larger than a batch whole, and many small ones in batches", () => {
    using session = new TestSessionFolder();
    using spool = new SpoolWriter(session.spool);
    spool.append(outputEntry("x".repeat(3_000_000)));
    for (let count = 0; count < 10_000; count++) spool.append(outputEntry("small"));
    const reader = new SpoolReader(session.spool);
    expect(reader.read().map((record) => record.bytes.length)).toEqual([3_000_000]);
    expect(reader.read().length).toBeLessThan(10_000);
    readAllRecords(reader);
    expect(reader.lastSeq).toBe(10_001);
  });

  test("returns the records before damage, and then throws with its position", () => {
    using session = new TestSessionFolder();
    using spool = new SpoolWriter(session.spool);
    spool.append(outputEntry("good"));
    const file = join(session.spool, "000000000001.spool");
    const end = readFileSync(file).length;
    spool.append(outputEntry("bad"));
    const bytes = readFileSync(file);
    bytes.writeUInt8(0, bytes.length - 1);
    writeFileSync(file, bytes);
    const reader = new SpoolReader(session.spool);
    expect(reader.read().length).toBe(1);
    for (const _ of [1, 2]) expect(() => reader.read()).toThrow(`byte ${end} of 000000000001.spool`);
  });

  test("throws for a truncated segment that is not the last", () => {
    using session = new TestSessionFolder();
    using spool = new SpoolWriter(session.spool, { segmentBytes: 100 });
    for (const text of ["a", "b", "c"]) spool.append(outputEntry(text));
    const file = join(session.spool, "000000000001.spool");
    truncateSync(file, readFileSync(file).length - 1);
    const reader = new SpoolReader(session.spool);
    expect(reader.read().length).toBe(1);
    expect(() => reader.read()).toThrow(SpoolDamaged);
  });

  test("throws for a file that is not a spool", () => {
    using session = new TestSessionFolder();
    mkdirSync(session.spool);
    writeFileSync(join(session.spool, "000000000001.spool"), "some other file contents");
    expect(() => new SpoolReader(session.spool).read()).toThrow("the file has no spool header");
  });
});
