import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestSessionFolder } from "@fairlead/testing/keeper/test-session-folder.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { SpoolReader } from "./spool-reader.ts";
import { type SpoolEntry, SpoolWriter } from "./spool-writer.ts";

const outputEntry = (text: string): SpoolEntry => ({ kind: "out", process: 1, id: "", bytes: Buffer.from(text) });
const texts = (session: TestSessionFolder): string[] =>
  session.records().map((record) => Buffer.from(record.bytes).toString());

function appendAll(session: TestSessionFolder, ...entries: readonly SpoolEntry[]): number {
  using spool = new SpoolWriter(session.spool);
  for (const entry of entries) spool.append(entry);
  return statSync(file(session)).size;
}

const file = (session: TestSessionFolder): string => join(session.spool, "000000000001.spool");

function zeroFill(session: TestSessionFolder, start: number, end?: number): void {
  writeFileSync(file(session), readFileSync(file(session)).fill(0, start, end));
}

describe("after a loss of power", () => {
  test.each([1, 7, 8, 40, 5000, 600_000])("%d zeros after the last record are cut off", (length) => {
    using session = new TestSessionFolder();
    appendAll(session, outputEntry("a"));
    writeFileSync(file(session), Buffer.concat([readFileSync(file(session)), Buffer.alloc(length)]));
    expect(texts(session)).toEqual(["a"]);
    appendAll(session, outputEntry("b"));
    expect(texts(session)).toEqual(["a", "b"]);
  });

  test("a segment of zeros is started again", () => {
    using session = new TestSessionFolder();
    appendAll(session);
    writeFileSync(file(session), Buffer.alloc(4096));
    expect(texts(session)).toEqual([]);
    appendAll(session, outputEntry("b"));
    expect(texts(session)).toEqual(["b"]);
  });

  test("a last record that ends in sectors of zeros is cut off", () => {
    using session = new TestSessionFolder();
    appendAll(session, outputEntry("a"), outputEntry("x".repeat(3000)));
    zeroFill(session, 1024);
    expect(texts(session)).toEqual(["a"]);
    appendAll(session, outputEntry("b"));
    expect(texts(session)).toEqual(["a", "b"]);
  });

  test("zeros that no lost sector explains are damage, and nothing is cut off", () => {
    for (const [start, end] of [
      [1024, 1536],
      [1000, 2000],
      [3080, undefined],
    ] as const) {
      using session = new TestSessionFolder();
      appendAll(session, outputEntry("a"), outputEntry("x".repeat(3000)));
      zeroFill(session, start, end);
      const before = readFileSync(file(session));
      expect(() => appendAll(session), `${start}`).toThrow(SpoolDamaged);
      expect(readFileSync(file(session))).toEqual(before);
    }
  });

  test("a broken record before an intact one that ends in zeros is damage", () => {
    using session = new TestSessionFolder();
    const brokenStart = appendAll(session, outputEntry("a"));
    appendAll(session, outputEntry("b"), outputEntry("\0".repeat(3000)));
    zeroFill(session, brokenStart + 38, brokenStart + 39);
    const reader = new SpoolReader(session.spool);
    expect(reader.read().length).toBe(1);
    expect(() => reader.read()).toThrow(SpoolDamaged);
    expect(() => appendAll(session)).toThrow(SpoolDamaged);
  });

  test("zeros in a segment that is not the last are damage", () => {
    using session = new TestSessionFolder();
    {
      using spool = new SpoolWriter(session.spool, { segmentBytes: 100 });
      for (const text of ["a", "b", "c"]) spool.append(outputEntry(text));
    }
    const bytes = readFileSync(file(session));
    writeFileSync(file(session), bytes.fill(0, 50));
    expect(() => appendAll(session)).toThrow(SpoolDamaged);
  });
});
