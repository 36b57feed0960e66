import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SessionForTest } from "./session-for-test.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { type Entry, SpoolWriter } from "./spool-writer.ts";

const say = (text: string, id = ""): Entry => ({ kind: "in", process: 1, id, bytes: Buffer.from(text) });
const first = "000000000001.spool";

function texts(session: SessionForTest): string[] {
  return session.records().map((record) => Buffer.from(record.bytes).toString());
}

function write(session: SessionForTest, ...entries: readonly Entry[]): void {
  using spool = new SpoolWriter(session.spool);
  for (const entry of entries) spool.append(entry);
}

describe("a spool", () => {
  test("is continued where it ended, with all that it knew", () => {
    using session = new SessionForTest();
    write(session, say("a", "one"), { ...say("{}"), kind: "launch", process: 4 });
    using spool = new SpoolWriter(session.spool);
    expect([spool.lastSeq, spool.lastProcess, spool.seqOf("one"), spool.seqOf("two")]).toEqual([2, 4, 1, undefined]);
    expect(spool.append(say("c", "two"))).toEqual(session.records().at(-1));
    expect(spool.seqOf("two")).toBe(3);
  });

  test("cut at any byte of its last record keeps all others and goes on", () => {
    using session = new SessionForTest();
    const file = join(session.spool, first);
    write(session, say("a"), say("b"));
    const start = statSync(file).size;
    write(session, say("the last", "id"));
    const whole = readFileSync(file);
    for (let cut = start; cut < whole.length; cut++) {
      writeFileSync(file, whole.subarray(0, cut));
      expect(texts(session)).toEqual(["a", "b"]);
      write(session, say(`after ${cut}`));
      expect(texts(session)).toEqual(["a", "b", `after ${cut}`]);
    }
  });

  test("cut inside its header begins again", () => {
    using session = new SessionForTest();
    write(session);
    truncateSync(join(session.spool, first), 9);
    write(session, say("a"));
    expect(texts(session)).toEqual(["a"]);
  });

  test("with a broken record is left as it is", () => {
    using session = new SessionForTest();
    const file = join(session.spool, first);
    write(session, say("aaaa"), say("bbbb"), say("cccc"));
    const whole = readFileSync(file);
    // Every bit of every record, lengths included: nothing that once was whole may be cut off.
    for (let bit = 16 * 8; bit < whole.length * 8; bit++) {
      const turned = Buffer.from(whole);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file, turned);
      expect(() => write(session), `bit ${bit}`).toThrow(SpoolDamaged);
      expect(readFileSync(file)).toEqual(turned);
    }
  });

  test("says where it is broken", () => {
    using session = new SessionForTest();
    write(session, say("a"));
    const file = join(session.spool, first);
    const { size } = statSync(file);
    appendFileSync(file, Buffer.alloc(40, 255));
    expect(() => write(session)).toThrow(`at byte ${size} of ${first}: a record of 4294967295 bytes is impossible`);
  });

  test("goes on in a new segment when one is full", () => {
    using session = new SessionForTest();
    using spool = new SpoolWriter(session.spool, { segmentBytes: 100 });
    for (const text of ["a", "b", "c", "x".repeat(500), "d"]) spool.append(say(text));
    expect(readdirSync(session.spool).toSorted()).toEqual([
      "000000000001.spool",
      "000000000003.spool",
      "000000000004.spool",
      "000000000005.spool",
    ]);
    expect(texts(session)).toEqual(["a", "b", "c", "x".repeat(500), "d"]);
    using again = new SpoolWriter(session.spool, { segmentBytes: 100 });
    expect(again.lastSeq).toBe(5);
  });

  test("is for its owner's eyes only", () => {
    using session = new SessionForTest();
    write(session);
    expect(statSync(session.spool).mode & 0o777).toBe(0o700);
    expect(statSync(join(session.spool, first)).mode & 0o777).toBe(0o600);
  });
});
