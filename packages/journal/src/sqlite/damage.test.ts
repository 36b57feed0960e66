import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Author, counted, told } from "../conformance/author.ts";
import type { Frame } from "../event-log.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-damage-"));
  file = join(folder, "journal.db");
  await using journal = await openSqliteLog({ file });
  const other = await Author.claim(journal, "other");
  const author = await Author.claim(journal, "s");
  for (const frame of [["1"], ["2"], ["3"], ["4"]]) await author.append(...frame);
  await (await Author.claim(journal, "s", "heir")).append("5");
  for (const frame of [["1"], ["2"], ["3"]]) await other.append(...frame);
});
afterEach(() => rmSync(folder, { recursive: true }));

function tamper(statement: string): void {
  using database = new DatabaseSync(file);
  database.exec(statement);
}

const third = "session = 's' AND last = 3";
const swap = (columns: string) => `
  CREATE TEMP TABLE two AS SELECT * FROM frames WHERE session = 's' AND last IN (2, 3);
  UPDATE frames SET (${columns}) = (SELECT ${columns} FROM two WHERE two.last = 5 - frames.last)
  WHERE session = 's' AND last IN (2, 3)`;

test.for([
  ["other bytes", `UPDATE frames SET data = x'0000000139' WHERE ${third}`, 2],
  ["no bytes", `UPDATE frames SET data = x'' WHERE ${third}`, 2],
  ["another owner", `UPDATE frames SET owner = 'nobody' WHERE ${third}`, 2],
  ["another epoch", `UPDATE frames SET epoch = 2 WHERE ${third}`, 2],
  ["another number", `UPDATE frames SET first = 2 WHERE ${third}`, 2],
  ["another count", `UPDATE frames SET count = 2 WHERE ${third}`, 2],
  ["another frame before it", `UPDATE frames SET previous = 1 WHERE ${third}`, 2],
  ["another checksum", `UPDATE frames SET checksum = 1 WHERE ${third}`, 2],
  ["a number that is too large", `UPDATE frames SET checksum = 9007199254740993 WHERE ${third}`, 2],
  ["no row in the middle", `DELETE FROM frames WHERE ${third}`, 2],
  ["no claim", `DELETE FROM frames WHERE session = 's' AND count = 0 AND epoch = 2`, 4],
  ["no first claim", `DELETE FROM frames WHERE session = 's' AND count = 0 AND epoch = 1`, 0],
  ["swapped contents", swap("epoch, first, count, owner, previous, checksum, data"), 1],
  ["swapped data", swap("data"), 1],
  ["swapped data and checksums", swap("data, checksum"), 1],
  [
    "another session's frame in its place",
    `UPDATE frames SET (data, previous, checksum) = (SELECT data, previous, checksum FROM frames
      WHERE session = 'other' AND last = 3) WHERE ${third}`,
    2,
  ],
] as const)("%s: reading gives what stands before, and stops there", async ([, statement, last]) => {
  tamper(statement);
  await using journal = await openSqliteLog({ file });
  for (const frames of [journal.read("s", 0), journal.watch("s", 0, AbortSignal.timeout(4_000))]) {
    const seen: Frame[] = [];
    const reading = (async () => {
      for await (const frame of frames) seen.push(frame);
    })();
    const message = expect.stringMatching(`Session s is damaged at event ${last + 1}`);
    await expect(reading).rejects.toMatchObject({ code: "corrupt", message });
    expect(told(seen)).toEqual(counted(last));
  }
  expect(told(await Array.fromAsync(journal.read("other", 0)))).toEqual(counted(3));
});

test.for([
  ["a changed newest frame", `UPDATE frames SET owner = 'nobody' WHERE session = 's' AND last = 5`, 4],
  ["a newest frame that is gone", `DELETE FROM frames WHERE session = 's' AND last = 5`, 4],
  ["all frames gone", `DELETE FROM frames WHERE session = 's'`, 0],
  ["a head that is gone", `DELETE FROM heads WHERE session = 's'`, 5],
  ["a head that stands for an older frame", `UPDATE heads SET id = id - 2 WHERE session = 's'`, 5],
] as const)("%s: neither the tail is given nor written after, and others are", async ([, statement, last]) => {
  tamper(statement);
  await using journal = await openSqliteLog({ file });
  const corrupt = { code: "corrupt", message: expect.stringContaining("Session s is damaged") };
  await expect(journal.tail("s")).rejects.toMatchObject(corrupt);
  await expect(journal.claim("s", "heir")).rejects.toMatchObject(corrupt);
  const listed: string[] = [];
  const listing = (async () => {
    for await (const { session } of journal.sessions()) listed.push(session);
  })();
  await expect(listing).rejects.toMatchObject(corrupt);
  expect(listed).toEqual(["other"]);
  const seen: Frame[] = [];
  const reading = (async () => {
    for await (const frame of journal.read("s", 0)) seen.push(frame);
  })();
  await expect(reading).rejects.toMatchObject(corrupt);
  expect(told(seen)).toEqual(counted(last));
  await (await Author.claim(journal, "other")).append("4");
});

test("reading that begins after the damage is not troubled by it", async () => {
  tamper(`UPDATE frames SET owner = 'nobody' WHERE ${third}`);
  await using journal = await openSqliteLog({ file });
  expect(told(await Array.fromAsync(journal.read("s", 3)))).toEqual(counted(5, 3));
});

test("the tail does not believe a column that is only there to find a frame by", async () => {
  tamper(`UPDATE frames SET last = 9 WHERE session = 's' AND last = 5`);
  await using journal = await openSqliteLog({ file });
  expect(await journal.tail("s")).toMatchObject({ last: 5 });
});

test("a gap right where reading begins is found", async () => {
  tamper(`DELETE FROM frames WHERE ${third}`);
  await using journal = await openSqliteLog({ file });
  await expect(Array.fromAsync(journal.read("s", 2))).rejects.toMatchObject({ code: "corrupt" });
});

test.for(["DROP INDEX frames_in_order", "ALTER TABLE frames RENAME COLUMN owner TO other", "PRAGMA user_version = 0"])(
  "tables that are not ours are corrupt: %s",
  async (statement) => {
    using database = new DatabaseSync(file);
    database.exec(statement);
    await expect(openSqliteLog({ file })).rejects.toMatchObject({ code: "corrupt" });
  },
);

test("fences from a history that was lost fit none that takes its place", async () => {
  await using journal = await openSqliteLog({ file });
  const lost = await Author.claim(journal, "new", "lost");
  tamper(`DELETE FROM frames WHERE session = 'new'; DELETE FROM heads WHERE session = 'new'`);
  const heir = await Author.claim(journal, "new", "heir");
  expect(heir.epoch).toBe(lost.epoch);
  await expect(lost.append("late")).rejects.toMatchObject({ code: "fenced" });
});
