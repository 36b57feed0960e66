import { appendFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FaultyDisk } from "@fairlead/testing/keeper/faulty-disk.ts";
import { Keeper } from "../keeper.ts";
import { readAllRecords, TestSessionFolder, shellCommand } from "@fairlead/testing/keeper/test-session-folder.ts";
import { SpoolDamaged } from "./spool-damaged.ts";
import { SpoolReader } from "./spool-reader.ts";
import { SpoolTrimmed } from "./spool-trimmed.ts";
import { type SpoolEntry, SpoolWriter, type SpoolWriterOptions } from "./spool-writer.ts";

const entry = (id: string, text = id): SpoolEntry => ({ kind: "in", process: 1, id, bytes: Buffer.from(text) });
const seqs = (reader: SpoolReader): number[] => readAllRecords(reader).map((record) => record.seq);
const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n);
const segments = (session: TestSessionFolder): number[] =>
  readdirSync(session.spool)
    .filter((name) => name.endsWith(".spool"))
    .map((name) => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b);

/** Writes ten records, two per segment: the segments are 1, 3, 5, 7 and 9. */
function writeTenRecords(session: TestSessionFolder, options: SpoolWriterOptions = {}): SpoolWriter {
  const spool = new SpoolWriter(session.spool, { segmentBytes: 110, ...options });
  for (const seq of range(1, 10)) spool.append(entry(`id${seq}`));
  expect(segments(session)).toEqual([1, 3, 5, 7, 9]);
  return spool;
}

describe("a trim", () => {
  test("removes whole segments, and never the newest", () => {
    using session = new TestSessionFolder();
    using spool = writeTenRecords(session);
    const firstSegments = [0, 1, 2, 3, 6, 10, 99].map((upTo) => {
      spool.trim(upTo);
      return segments(session)[0];
    });
    expect(firstSegments).toEqual([1, 1, 3, 3, 7, 9, 9]);
    expect(spool.append(entry("id11")).seq).toBe(11);
    expect(spool.bytes).toBe(segments(session).reduce((sum, first) => sum + fileOf(session, first).length, 0));
  });

  test("keeps request ids and process numbers, in this keeper and the next", async () => {
    using session = new TestSessionFolder();
    {
      await using keeper = new Keeper(session.folder, { segmentBytes: 100 });
      keeper.handle({ do: "launch", id: "l", command: shellCommand("exit 0") });
      keeper.handle({ do: "write", id: "__proto__", text: "" });
      await session.exit(1);
      for (const n of range(1, 9)) keeper.handle({ do: "note", id: `n${n}`, text: "a note of some length" });
      const before = keeper.lastSeq;
      expect(keeper.handle({ do: "trim", id: "t", upTo: before })).toEqual({ ack: "t", seq: before, duplicate: false });
      expect(session.records().length).toBeLessThan(3);
      expect(keeper.handle({ do: "launch", id: "l", command: shellCommand("exit 1") })).toEqual({
        ack: "l",
        seq: 1,
        duplicate: true,
      });
      keeper.handle({ do: "note", id: "later", text: "x".repeat(100) });
      keeper.handle({ do: "trim", id: "t", upTo: keeper.lastSeq });
    }
    await using next = new Keeper(session.folder, { segmentBytes: 100 });
    for (const n of range(1, 9)) expect(next.handle({ do: "note", id: `n${n}`, text: "" }).duplicate).toBe(true);
    expect(next.handle({ do: "write", id: "__proto__", text: "" })).toEqual({
      ack: "__proto__",
      seq: 2,
      duplicate: true,
    });
    next.handle({ do: "launch", id: "l2", command: shellCommand("exit 4") });
    expect(await session.exit(2)).toEqual({ code: 4, signal: null });
  });

  test("that is interrupted at any point leaves a usable spool", () => {
    for (const remaining of range(0, 3)) {
      using session = new TestSessionFolder();
      {
        using spool = writeTenRecords(session);
        const files = new Map([1, 3, 5, 7].map((first) => [first, fileOf(session, first)]));
        spool.trim(8);
        // Restore the last segments, as if the process had died before it removed them.
        for (const first of [1, 3, 5, 7].slice(4 - remaining))
          writeFileSync(pathOf(session, first), files.get(first) ?? "");
      }
      using spool = new SpoolWriter(session.spool);
      expect([spool.lastSeq, spool.seqOf("id1"), spool.seqOf("id10")]).toEqual([10, 1, 10]);
      spool.trim(10);
      expect(segments(session)).toEqual([9]);
    }
  });

  test("whose line of ids is torn removes nothing", () => {
    using session = new TestSessionFolder();
    const ids = join(session.spool, "ids");
    {
      using spool = writeTenRecords(session);
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
    using reopened = new SpoolWriter(session.spool);
    expect(range(1, 10).map((n) => reopened.seqOf(`id${n}`))).toEqual(range(1, 10));
  });

  test("that cannot save the ids removes nothing", () => {
    using session = new TestSessionFolder();
    const disk = new FaultyDisk();
    using spool = writeTenRecords(session, { disk });
    disk.errorCode = "ENOSPC";
    expect(() => spool.trim(4)).toThrow("ENOSPC");
    expect(segments(session)).toEqual([1, 3, 5, 7, 9]);
    disk.errorCode = null;
    spool.trim(4);
    expect(segments(session)).toEqual([5, 7, 9]);
    using reopened = new SpoolWriter(session.spool);
    expect(reopened.seqOf("id4")).toBe(4);
  });

  test("is reported as damage if segments were removed by hand, or the ids are missing or changed", () => {
    const tamperings: readonly ((session: TestSessionFolder) => void)[] = [
      (session) => rmSync(join(session.spool, "ids")),
      (session) => rmSync(pathOf(session, 5)),
      (session) => segments(session).forEach((first) => rmSync(pathOf(session, first))),
      (session) => flipBit(join(session.spool, "ids"), 30),
      (session) => appendFileSync(join(session.spool, "ids"), "invalid\ninvalid\n"),
    ];
    for (const tamper of tamperings) {
      using session = new TestSessionFolder();
      {
        using spool = writeTenRecords(session);
        spool.trim(2);
        spool.trim(4);
      }
      tamper(session);
      expect(() => new SpoolWriter(session.spool), tamper.toString()).toThrow(SpoolDamaged);
    }
  });
});

describe("a reader of a trimmed spool", () => {
  test("starts at the first remaining record, and reports its sequence", () => {
    using session = new TestSessionFolder();
    expect(new SpoolReader(session.spool).firstSeq).toBe(1);
    using spool = writeTenRecords(session);
    spool.trim(4);
    const reader = new SpoolReader(session.spool);
    expect(reader.firstSeq).toBe(5);
    expect(seqs(reader)).toEqual(range(5, 10));
  });

  test("starts after any record without reading earlier segments", () => {
    using session = new TestSessionFolder();
    using spool = writeTenRecords(session);
    for (const after of range(0, 10)) {
      expect(seqs(new SpoolReader(session.spool, { after }))).toEqual(range(after + 1, 10));
    }
    const reader = new SpoolReader(session.spool, { after: 10 });
    expect([reader.lastSeq, reader.read(), reader.lastSeq]).toEqual([10, [], 10]);
    spool.append(entry("id11"));
    expect(seqs(reader)).toEqual([11]);
    flipBit(pathOf(session, 1), 40);
    expect(seqs(new SpoolReader(session.spool, { after: 2 }))).toEqual(range(3, 11));
    expect(() => new SpoolReader(session.spool, { after: 1 }).read()).toThrow(SpoolDamaged);
  });

  test("continues if only records it has read are trimmed, and throws if it was too slow", () => {
    using session = new TestSessionFolder();
    using spool = writeTenRecords(session);
    const fast = new SpoolReader(session.spool);
    const slow = new SpoolReader(session.spool);
    expect(seqs(fast)).toEqual(range(1, 10));
    expect(slow.read().length).toBe(2);
    spool.append(entry("id11"));
    spool.trim(10);
    expect(seqs(fast)).toEqual([11]);
    for (const _ of [1, 2]) expect(() => readAllRecords(slow)).toThrow(SpoolTrimmed);
    expect(() => new SpoolReader(session.spool, { after: 3 }).read()).toThrow("Record 4 was trimmed");
  });
});

function pathOf(session: TestSessionFolder, first: number): string {
  return join(session.spool, `${String(first).padStart(12, "0")}.spool`);
}

function fileOf(session: TestSessionFolder, first: number): Buffer {
  return readFileSync(pathOf(session, first));
}

function flipBit(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
