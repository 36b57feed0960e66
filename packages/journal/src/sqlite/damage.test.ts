import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestWriter, numberedEvents, formatEvents } from "../conformance/test-writer.ts";
import type { EventBatch } from "../event-log.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-damage-"));
  file = join(folder, "journal.db");
  await using journal = await openSqliteLog({ file });
  const otherWriter = await TestWriter.claim(journal, "other");
  const writer = await TestWriter.claim(journal, "s");
  for (const text of ["1", "2", "3", "4"]) await writer.append(text);
  await (await TestWriter.claim(journal, "s", "successor")).append("5");
  for (const text of ["1", "2", "3"]) await otherWriter.append(text);
});
afterEach(() => rmSync(folder, { recursive: true }));

function executeSql(statement: string): void {
  using database = new DatabaseSync(file);
  database.exec(statement);
}

const thirdBatchCondition = "session = 's' AND last = 3";
const swapColumns = (columns: string) => `
  CREATE TEMP TABLE two AS SELECT * FROM frames WHERE session = 's' AND last IN (2, 3);
  UPDATE frames SET (${columns}) = (SELECT ${columns} FROM two WHERE two.last = 5 - frames.last)
  WHERE session = 's' AND last IN (2, 3)`;

test.for([
  ["different bytes", `UPDATE frames SET data = x'0000000139' WHERE ${thirdBatchCondition}`, 2],
  ["no bytes", `UPDATE frames SET data = x'' WHERE ${thirdBatchCondition}`, 2],
  ["another owner", `UPDATE frames SET owner = 'intruder' WHERE ${thirdBatchCondition}`, 2],
  ["another epoch", `UPDATE frames SET epoch = 2 WHERE ${thirdBatchCondition}`, 2],
  ["another first sequence", `UPDATE frames SET first = 2 WHERE ${thirdBatchCondition}`, 2],
  ["another count", `UPDATE frames SET count = 2 WHERE ${thirdBatchCondition}`, 2],
  ["another previous checksum", `UPDATE frames SET previous = 1 WHERE ${thirdBatchCondition}`, 2],
  ["another checksum", `UPDATE frames SET checksum = 1 WHERE ${thirdBatchCondition}`, 2],
  ["a number that is too large", `UPDATE frames SET checksum = 9007199254740993 WHERE ${thirdBatchCondition}`, 2],
  ["a missing row in the middle", `DELETE FROM frames WHERE ${thirdBatchCondition}`, 2],
  ["a missing claim", `DELETE FROM frames WHERE session = 's' AND count = 0 AND epoch = 2`, 4],
  ["a missing first claim", `DELETE FROM frames WHERE session = 's' AND count = 0 AND epoch = 1`, 0],
  ["swapped contents", swapColumns("epoch, first, count, owner, previous, checksum, data"), 1],
  ["swapped data", swapColumns("data"), 1],
  ["swapped data and checksums", swapColumns("data, checksum"), 1],
  [
    "another session's batch in its place",
    `UPDATE frames SET (data, previous, checksum) = (SELECT data, previous, checksum FROM frames
      WHERE session = 'other' AND last = 3) WHERE ${thirdBatchCondition}`,
    2,
  ],
] as const)("reads the batches before %s, then throws", async ([, statement, last]) => {
  executeSql(statement);
  await using journal = await openSqliteLog({ file });
  for (const batches of [journal.read("s", 0), journal.watch("s", 0, AbortSignal.timeout(4_000))]) {
    const received: EventBatch[] = [];
    const reading = (async () => {
      for await (const batch of batches) received.push(batch);
    })();
    const message = expect.stringMatching(`Session s is damaged at event ${last + 1}`);
    await expect(reading).rejects.toMatchObject({ code: "corrupt", message });
    expect(formatEvents(received)).toEqual(numberedEvents(last));
  }
  expect(formatEvents(await Array.fromAsync(journal.read("other", 0)))).toEqual(numberedEvents(3));
});

test.for([
  ["a changed newest batch", `UPDATE frames SET owner = 'intruder' WHERE session = 's' AND last = 5`, 4],
  ["a missing newest batch", `DELETE FROM frames WHERE session = 's' AND last = 5`, 4],
  ["all batches missing", `DELETE FROM frames WHERE session = 's'`, 0],
  ["a missing head", `DELETE FROM heads WHERE session = 's'`, 5],
  ["a head with the id of an older batch", `UPDATE heads SET id = id - 2 WHERE session = 's'`, 5],
] as const)(
  "with %s, rejects tail and claim, serves other sessions, and can forget it",
  async ([, statement, last]) => {
    executeSql(statement);
    await using journal = await openSqliteLog({ file });
    const corrupt = { code: "corrupt", message: expect.stringContaining("Session s is damaged") };
    await expect(journal.tail("s")).rejects.toMatchObject(corrupt);
    await expect(journal.claim("s", "successor")).rejects.toMatchObject(corrupt);
    const listed = new Map((await Array.fromAsync(journal.sessions())).map((one) => [one.session, one]));
    expect([...listed.keys()].toSorted()).toEqual(["other", "s"]);
    expect(listed.get("s")).toMatchObject({ damage: corrupt, tail: { last: 0 } });
    expect(listed.get("other")?.damage).toBeUndefined();
    const received: EventBatch[] = [];
    const reading = (async () => {
      for await (const batch of journal.read("s", 0)) received.push(batch);
    })();
    await expect(reading).rejects.toMatchObject(corrupt);
    expect(formatEvents(received)).toEqual(numberedEvents(last));
    await (await TestWriter.claim(journal, "other")).append("4");

    await expect(journal.forget("other", "damaged")).rejects.toMatchObject({ code: "fenced" });
    await journal.forget("s", "damaged");
    expect((await Array.fromAsync(journal.sessions())).map(({ session }) => session)).toEqual(["other"]);
    expect(formatEvents(await Array.fromAsync(journal.read("other", 0)))).toEqual(numberedEvents(4));
    await (await TestWriter.claim(journal, "s")).append("1");
  },
);

test("reads the events after the damage", async () => {
  executeSql(`UPDATE frames SET owner = 'intruder' WHERE ${thirdBatchCondition}`);
  await using journal = await openSqliteLog({ file });
  expect(formatEvents(await Array.fromAsync(journal.read("s", 3)))).toEqual(numberedEvents(5, 3));
});

test("computes the tail without the column `last`, which the checksum does not cover", async () => {
  executeSql(`UPDATE frames SET last = 9 WHERE session = 's' AND last = 5`);
  await using journal = await openSqliteLog({ file });
  expect(await journal.tail("s")).toMatchObject({ last: 5 });
});

test("detects a gap at the start of a read", async () => {
  executeSql(`DELETE FROM frames WHERE ${thirdBatchCondition}`);
  await using journal = await openSqliteLog({ file });
  await expect(Array.fromAsync(journal.read("s", 2))).rejects.toMatchObject({ code: "corrupt" });
});

test.for(["DROP INDEX frames_in_order", "ALTER TABLE frames RENAME COLUMN owner TO other", "PRAGMA user_version = 0"])(
  "rejects a file with other tables: %s",
  async (statement) => {
    using database = new DatabaseSync(file);
    database.exec(statement);
    await expect(openSqliteLog({ file })).rejects.toMatchObject({ code: "corrupt" });
  },
);

test("rejects fences of a lost history after its ids are reused", async () => {
  await using journal = await openSqliteLog({ file });
  const lost = await TestWriter.claim(journal, "new", "lost");
  executeSql(`DELETE FROM frames WHERE session = 'new'; DELETE FROM heads WHERE session = 'new'`);
  const successor = await TestWriter.claim(journal, "new", "successor");
  expect(successor.epoch).toBe(lost.epoch);
  await expect(lost.append("late")).rejects.toMatchObject({ code: "fenced" });
});
