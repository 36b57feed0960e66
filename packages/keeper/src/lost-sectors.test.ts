import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SessionForTest } from "./session-for-test.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { SpoolReader } from "./spool-reader.ts";
import { type Entry, SpoolWriter } from "./spool-writer.ts";

const out = (text: string): Entry => ({ kind: "out", process: 1, id: "", bytes: Buffer.from(text) });
const texts = (session: SessionForTest): string[] =>
  session.records().map((record) => Buffer.from(record.bytes).toString());

function write(session: SessionForTest, ...entries: readonly Entry[]): number {
  using spool = new SpoolWriter(session.spool);
  for (const entry of entries) spool.append(entry);
  return statSync(file(session)).size;
}

const file = (session: SessionForTest): string => join(session.spool, "000000000001.spool");

function zero(session: SessionForTest, start: number, end?: number): void {
  writeFileSync(file(session), readFileSync(file(session)).fill(0, start, end));
}

describe("after a loss of power", () => {
  test.each([1, 7, 8, 40, 5000, 600_000])("%d zeros behind the last record are torn, and cut off", (length) => {
    using session = new SessionForTest();
    write(session, out("a"));
    writeFileSync(file(session), Buffer.concat([readFileSync(file(session)), Buffer.alloc(length)]));
    expect(texts(session)).toEqual(["a"]);
    write(session, out("b"));
    expect(texts(session)).toEqual(["a", "b"]);
  });

  test("a segment of nothing but zeros begins again", () => {
    using session = new SessionForTest();
    write(session);
    writeFileSync(file(session), Buffer.alloc(4096));
    expect(texts(session)).toEqual([]);
    write(session, out("b"));
    expect(texts(session)).toEqual(["b"]);
  });

  test("a last record of which whole sectors at the end are zero is torn", () => {
    using session = new SessionForTest();
    write(session, out("a"), out("x".repeat(3000)));
    zero(session, 1024);
    expect(texts(session)).toEqual(["a"]);
    write(session, out("b"));
    expect(texts(session)).toEqual(["a", "b"]);
  });

  test("but zeros that no lost sector explains are damage, and nothing is cut", () => {
    for (const [start, end] of [
      [1024, 1536],
      [1000, 2000],
      [3080, undefined],
    ] as const) {
      using session = new SessionForTest();
      write(session, out("a"), out("x".repeat(3000)));
      zero(session, start, end);
      const before = readFileSync(file(session));
      expect(() => write(session), `${start}`).toThrow(SpoolDamaged);
      expect(readFileSync(file(session))).toEqual(before);
    }
  });

  test("and so is a broken record before a whole one that ends in zeros", () => {
    using session = new SessionForTest();
    const broken = write(session, out("a"));
    write(session, out("b"), out("\0".repeat(3000)));
    zero(session, broken + 38, broken + 39);
    const reader = new SpoolReader(session.spool);
    expect(reader.read().length).toBe(1);
    expect(() => reader.read()).toThrow(SpoolDamaged);
    expect(() => write(session)).toThrow(SpoolDamaged);
  });

  test("zeros in a segment that has a successor are damage", () => {
    using session = new SessionForTest();
    {
      using spool = new SpoolWriter(session.spool, { segmentBytes: 100 });
      for (const text of ["a", "b", "c"]) spool.append(out(text));
    }
    const whole = readFileSync(file(session));
    writeFileSync(file(session), whole.fill(0, 50));
    expect(() => write(session)).toThrow(SpoolDamaged);
  });
});
