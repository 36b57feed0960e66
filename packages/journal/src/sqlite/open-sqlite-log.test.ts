import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Author, told } from "../conformance/author.ts";
import { connectToRead, connectToWrite } from "./connect.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-sqlite-"));
  file = join(folder, "deep", "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function writeThreeFrames(): Promise<void> {
  await using journal = await openSqliteLog({ file });
  const author = await Author.claim(journal, "s");
  await author.append("one", "two");
  await author.append("three");
  await author.append("four");
}

function tamper(statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

test("all its files are for their owner's eyes only", async () => {
  await using journal = await openSqliteLog({ file });
  await journal.claim("s", "author");
  const names = readdirSync(join(folder, "deep"));
  expect(names.toSorted()).toEqual(["journal.db", "journal.db-shm", "journal.db-wal"]);
  for (const name of names) expect(statSync(join(folder, "deep", name)).mode & 0o777).toBe(0o600);
});

test("a commit waits for the disk, and a reader for no writer", async () => {
  await using _ = await openSqliteLog({ file });
  using writer = connectToWrite(file);
  expect(writer.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  expect(writer.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("the connection for reading cannot write", async () => {
  await writeThreeFrames();
  using reader = connectToRead(file);
  expect(() => reader.exec("DELETE FROM frames")).toThrow("readonly");
});

test.for([
  ["a byte of an event", "UPDATE frames SET data = x'000000057468726566' WHERE first = 3"],
  ["a blob cut short", "UPDATE frames SET data = x'0000' WHERE first = 3"],
  ["the checksum", "UPDATE frames SET checksum = checksum + 1 WHERE first = 3"],
  ["the epoch", "UPDATE frames SET epoch = 7 WHERE first = 3"],
  ["the owner", "UPDATE frames SET owner = 'mallory' WHERE first = 3"],
] as const)(
  "damage to %s is reported with session and number, and what lies before it can be read",
  async ([, sql]) => {
    await writeThreeFrames();
    tamper(sql);
    await using journal = await openSqliteLog({ file });
    expect(told(await Array.fromAsync(journal.read("s", 0, { limit: 2 })))).toEqual(["1: one", "2: two"]);
    const reading = Array.fromAsync(journal.read("s", 0));
    await expect(reading).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringMatching(/session s .*event 3/i),
    });
  },
);

test("a file that is no database is corrupt", async () => {
  await writeThreeFrames();
  writeFileSync(file, "this is no database, but it is long enough to be taken for one ".repeat(100));
  await expect(openSqliteLog({ file })).rejects.toMatchObject({ code: "corrupt" });
});

test("a file of a newer Fairlead is left alone", async () => {
  await writeThreeFrames();
  tamper("PRAGMA user_version = 3");
  await expect(openSqliteLog({ file })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("newer Fairlead"),
  });
});

test("a place where no file can be is unavailable", async () => {
  writeFileSync(join(folder, "deep"), "a file where the folder should be");
  await expect(openSqliteLog({ file })).rejects.toMatchObject({ code: "unavailable" });
});

test.runIf(process.platform === "linux")("a second log on the file leaves the first one's locks in place", async () => {
  const locks = () => {
    const inode = `:${statSync(file).ino} `;
    return readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.includes(` ${process.pid} `) && line.includes(inode)).length;
  };
  await using first = await openSqliteLog({ file });
  await first.claim("s", "author");
  expect(locks()).toBe(1);
  await using _ = await openSqliteLog({ file });
  expect(locks()).toBe(1);
});
