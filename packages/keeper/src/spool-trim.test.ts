import { appendFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FaultyDisk } from "./faulty-disk-for-test.ts";
import { Keeper } from "./keeper.ts";
import { readAll, SessionForTest, shell } from "./session-for-test.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { SpoolReader } from "./spool-reader.ts";
import { SpoolTrimmed } from "./spool-trimmed.ts";
import { type Entry, SpoolWriter, type SpoolWriterOptions } from "./spool-writer.ts";

const entry = (id: string, text = id): Entry => ({ kind: "in", process: 1, id, bytes: Buffer.from(text) });
const seqs = (reader: SpoolReader): number[] => readAll(reader).map((record) => record.seq);
const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n);
const segments = (session: SessionForTest): number[] =>
  readdirSync(session.spool)
    .filter((name) => name.endsWith(".spool"))
    .map((name) => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b);

/** Ten records, two in a segment: 1 3 5 7 9. */
function tenRecords(session: SessionForTest, options: SpoolWriterOptions = {}): SpoolWriter {
  const spool = new SpoolWriter(session.spool, { segmentBytes: 110, ...options });
  for (const seq of from(1, 10)) spool.append(entry(`id${seq}`));
  expect(segments(session)).toEqual([1, 3, 5, 7, 9]);
  return spool;
}

describe("trimming", () => {
  test("takes whole segments, and never the newest", () => {
    using session = new SessionForTest();
    using spool = tenRecords(session);
    const left = [0, 1, 2, 3, 6, 10, 99].map((upTo) => {
      spool.trim(upTo);
      return segments(session)[0];
    });
    expect(left).toEqual([1, 1, 3, 3, 7, 9, 9]);
    expect(spool.append(entry("id11")).seq).toBe(11);
    expect(spool.bytes).toBe(segments(session).reduce((sum, first) => sum + fileOf(session, first).length, 0));
  });

  test("forgets no id and no number of a process, in this keeper or the next", async () => {
    using session = new SessionForTest();
    {
      await using keeper = new Keeper(session.folder, { segmentBytes: 100 });
      keeper.take({ do: "launch", id: "l", line: shell("exit 0") });
      keeper.take({ do: "say", id: "__proto__", text: "" });
      await session.exit(1);
      for (const n of from(1, 9)) keeper.take({ do: "note", id: `n${n}`, text: "a note of some length" });
      const before = keeper.lastSeq;
      expect(keeper.take({ do: "trim", id: "t", upTo: before })).toEqual({ ack: "t", seq: before, duplicate: false });
      expect(session.records().length).toBeLessThan(3);
      expect(keeper.take({ do: "launch", id: "l", line: shell("exit 1") })).toEqual({
        ack: "l",
        seq: 1,
        duplicate: true,
      });
      keeper.take({ do: "note", id: "later", text: "x".repeat(100) });
      keeper.take({ do: "trim", id: "t", upTo: keeper.lastSeq });
    }
    await using next = new Keeper(session.folder, { segmentBytes: 100 });
    for (const n of from(1, 9)) expect(next.take({ do: "note", id: `n${n}`, text: "" }).duplicate).toBe(true);
    expect(next.take({ do: "say", id: "__proto__", text: "" })).toEqual({ ack: "__proto__", seq: 2, duplicate: true });
    next.take({ do: "launch", id: "l2", line: shell("exit 4") });
    expect(await session.exit(2)).toEqual({ code: 4, signal: null });
  });

  test("cut short at any point leaves a spool that goes on", () => {
    for (const kept of from(0, 3)) {
      using session = new SessionForTest();
      {
        using spool = tenRecords(session);
        const files = new Map([1, 3, 5, 7].map((first) => [first, fileOf(session, first)]));
        spool.trim(8);
        // As if we had died before the last of them went.
        for (const first of [1, 3, 5, 7].slice(4 - kept)) writeFileSync(pathOf(session, first), files.get(first) ?? "");
      }
      using spool = new SpoolWriter(session.spool);
      expect([spool.lastSeq, spool.seqOf("id1"), spool.seqOf("id10")]).toEqual([10, 1, 10]);
      spool.trim(10);
      expect(segments(session)).toEqual([9]);
    }
  });

  test("torn while it remembers has not happened", () => {
    using session = new SessionForTest();
    const ids = join(session.spool, "ids");
    {
      using spool = tenRecords(session);
      spool.trim(2);
      const first = readFileSync(ids).length;
      const later = new Map([3, 5].map((segment) => [segment, fileOf(session, segment)]));
      spool.trim(6);
      truncateSync(ids, first + 20);
      for (const [segment, bytes] of later) writeFileSync(pathOf(session, segment), bytes);
    }
    using spool = new SpoolWriter(session.spool);
    expect([spool.seqOf("id1"), spool.seqOf("id3")]).toEqual([1, 3]);
    spool.trim(6);
    using again = new SpoolWriter(session.spool);
    expect(from(1, 10).map((n) => again.seqOf(`id${n}`))).toEqual(from(1, 10));
  });

  test("that cannot remember takes nothing", () => {
    using session = new SessionForTest();
    const disk = new FaultyDisk();
    using spool = tenRecords(session, { disk });
    disk.failing = "ENOSPC";
    expect(() => spool.trim(4)).toThrow("ENOSPC");
    expect(segments(session)).toEqual([1, 3, 5, 7, 9]);
    disk.failing = null;
    spool.trim(4);
    expect(segments(session)).toEqual([5, 7, 9]);
    using again = new SpoolWriter(session.spool);
    expect(again.seqOf("id4")).toBe(4);
  });

  test("done by hand, or its memory lost or changed, is damage", () => {
    const crimes: readonly ((session: SessionForTest) => void)[] = [
      (session) => rmSync(join(session.spool, "ids")),
      (session) => rmSync(pathOf(session, 5)),
      (session) => segments(session).forEach((first) => rmSync(pathOf(session, first))),
      (session) => change(join(session.spool, "ids"), 30),
      (session) => appendFileSync(join(session.spool, "ids"), "nonsense\nnonsense\n"),
    ];
    for (const crime of crimes) {
      using session = new SessionForTest();
      {
        using spool = tenRecords(session);
        spool.trim(2);
        spool.trim(4);
      }
      crime(session);
      expect(() => new SpoolWriter(session.spool), crime.toString()).toThrow(SpoolDamaged);
    }
  });
});

describe("a reader", () => {
  test("begins with what is there, and says where that is", () => {
    using session = new SessionForTest();
    expect(new SpoolReader(session.spool).firstSeq).toBe(1);
    using spool = tenRecords(session);
    spool.trim(4);
    const reader = new SpoolReader(session.spool);
    expect(reader.firstSeq).toBe(5);
    expect(seqs(reader)).toEqual(from(5, 10));
  });

  test("begins after any record, and does not look at segments before", () => {
    using session = new SessionForTest();
    using spool = tenRecords(session);
    for (const after of from(0, 10)) {
      expect(seqs(new SpoolReader(session.spool, { after }))).toEqual(from(after + 1, 10));
    }
    const reader = new SpoolReader(session.spool, { after: 10 });
    expect([reader.lastSeq, reader.read(), reader.lastSeq]).toEqual([10, [], 10]);
    spool.append(entry("id11"));
    expect(seqs(reader)).toEqual([11]);
    change(pathOf(session, 1), 40);
    expect(seqs(new SpoolReader(session.spool, { after: 2 }))).toEqual(from(3, 11));
    expect(() => new SpoolReader(session.spool, { after: 1 }).read()).toThrow(SpoolDamaged);
  });

  test("does not mind that what it has read is trimmed away, but says so when it was too slow", () => {
    using session = new SessionForTest();
    using spool = tenRecords(session);
    const quick = new SpoolReader(session.spool);
    const slow = new SpoolReader(session.spool);
    expect(seqs(quick)).toEqual(from(1, 10));
    expect(slow.read().length).toBe(2);
    spool.append(entry("id11"));
    spool.trim(10);
    expect(seqs(quick)).toEqual([11]);
    for (const _ of [1, 2]) expect(() => readAll(slow)).toThrow(SpoolTrimmed);
    expect(() => new SpoolReader(session.spool, { after: 3 }).read()).toThrow("Record 4 was trimmed");
  });
});

function pathOf(session: SessionForTest, first: number): string {
  return join(session.spool, `${String(first).padStart(12, "0")}.spool`);
}

function fileOf(session: SessionForTest, first: number): Buffer {
  return readFileSync(pathOf(session, first));
}

function change(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
