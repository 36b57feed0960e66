import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Author } from "../conformance/author.ts";
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
  expect(names.toSorted()).toEqual(["journal.db", "journal.db-bell", "journal.db-shm", "journal.db-wal"]);
  for (const name of names) expect(statSync(join(folder, "deep", name)).mode & 0o777).toBe(0o600);
});

test("a commit waits for the disk, and a reader for no writer", async () => {
  await using _ = await openSqliteLog({ file });
  using writer = connectToWrite(file);
  expect(writer.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  expect(writer.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("each commit touches the bell, for those who watch in other processes", async () => {
  await using journal = await openSqliteLog({ file });
  const bell = `${file}-bell`;
  utimesSync(bell, 1, 1);
  await journal.claim("s", "author");
  await vi.waitUntil(() => statSync(bell).mtimeMs > 1_000);
});

test("the connection for reading cannot write", async () => {
  await writeThreeFrames();
  using reader = connectToRead(file);
  expect(() => reader.exec("DELETE FROM frames")).toThrow("readonly");
});

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
    const lines = readFileSync("/proc/locks", "utf8").split("\n");
    const own = lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(inode));
    // While others lock and unlock, the list may show a line twice, under two numbers.
    return new Set(own.map((line) => line.replace(/^\d+:/, ""))).size;
  };
  await using first = await openSqliteLog({ file });
  await first.claim("s", "author");
  expect(locks()).toBe(1);
  await using _ = await openSqliteLog({ file });
  expect(locks()).toBe(1);
});
