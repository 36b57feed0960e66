import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestSessionFolder } from "@fairlead/testing/keeper/test-session-folder.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { type SpoolEntry, SpoolWriter } from "./spool-writer.ts";

const inputEntry = (text: string, id = ""): SpoolEntry => ({ kind: "in", process: 1, id, bytes: Buffer.from(text) });
const firstSegment = "000000000001.spool";

function texts(session: TestSessionFolder): string[] {
  return session.records().map((record) => Buffer.from(record.bytes).toString());
}

function appendAll(session: TestSessionFolder, ...entries: readonly SpoolEntry[]): void {
  using spool = new SpoolWriter(session.spool);
  for (const entry of entries) spool.append(entry);
}

describe("SpoolWriter", () => {
  test("continues an existing spool with its sequence, process number and request ids", () => {
    using session = new TestSessionFolder();
    appendAll(session, inputEntry("a", "one"), { ...inputEntry("{}"), kind: "launch", process: 4 });
    using spool = new SpoolWriter(session.spool);
    expect([spool.lastSeq, spool.lastProcess, spool.seqOf("one"), spool.seqOf("two")]).toEqual([2, 4, 1, undefined]);
    expect(spool.append(inputEntry("c", "two"))).toEqual(session.records().at(-1));
    expect(spool.seqOf("two")).toBe(3);
  });

  test("continues after a spool was cut at any byte of its last record, and keeps all others", () => {
    using session = new TestSessionFolder();
    const file = join(session.spool, firstSegment);
    appendAll(session, inputEntry("a"), inputEntry("b"));
    const start = statSync(file).size;
    appendAll(session, inputEntry("the last", "id"));
    const whole = readFileSync(file);
    for (let cut = start; cut < whole.length; cut++) {
      writeFileSync(file, whole.subarray(0, cut));
      expect(texts(session)).toEqual(["a", "b"]);
      appendAll(session, inputEntry(`after ${cut}`));
      expect(texts(session)).toEqual(["a", "b", `after ${cut}`]);
    }
  });

  test("starts again after a spool was cut within its header", () => {
    using session = new TestSessionFolder();
    appendAll(session);
    truncateSync(join(session.spool, firstSegment), 9);
    appendAll(session, inputEntry("a"));
    expect(texts(session)).toEqual(["a"]);
  });

  test("throws for a broken record and does not change the file", () => {
    using session = new TestSessionFolder();
    const file = join(session.spool, firstSegment);
    appendAll(session, inputEntry("aaaa"), inputEntry("bbbb"), inputEntry("cccc"));
    const whole = readFileSync(file);
    // Flip every bit of every record, including lengths: no intact record may be cut off.
    for (let bit = 16 * 8; bit < whole.length * 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file, flipped);
      expect(() => appendAll(session), `bit ${bit}`).toThrow(SpoolDamaged);
      expect(readFileSync(file)).toEqual(flipped);
    }
  });

  test("reports the position of damage", () => {
    using session = new TestSessionFolder();
    appendAll(session, inputEntry("a"));
    const file = join(session.spool, firstSegment);
    const { size } = statSync(file);
    appendFileSync(file, Buffer.alloc(40, 255));
    expect(() => appendAll(session)).toThrow(
      `at byte ${size} of ${firstSegment}: a record of 4294967295 bytes is impossible`,
    );
  });

  test("starts a new segment when one is full", () => {
    using session = new TestSessionFolder();
    using spool = new SpoolWriter(session.spool, { segmentBytes: 100 });
    for (const text of ["a", "b", "c", "x".repeat(500), "d"]) spool.append(inputEntry(text));
    expect(readdirSync(session.spool).toSorted()).toEqual([
      "000000000001.spool",
      "000000000003.spool",
      "000000000004.spool",
      "000000000005.spool",
    ]);
    expect(texts(session)).toEqual(["a", "b", "c", "x".repeat(500), "d"]);
    using reopened = new SpoolWriter(session.spool, { segmentBytes: 100 });
    expect(reopened.lastSeq).toBe(5);
  });

  test("creates files that only their owner can read", () => {
    using session = new TestSessionFolder();
    appendAll(session);
    expect(statSync(session.spool).mode & 0o777).toBe(0o700);
    expect(statSync(join(session.spool, firstSegment)).mode & 0o777).toBe(0o600);
  });
});
