import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TestWriter } from "../conformance/test-writer.ts";
import { connectToRead, connectToWrite } from "./connect.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-sqlite-"));
  file = join(folder, "deep", "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function writeThreeBatches(): Promise<void> {
  await using journal = await openSqliteLog({ file });
  const writer = await TestWriter.claim(journal, "s");
  await writer.append("one", "two");
  await writer.append("three");
  await writer.append("four");
}

function executeSql(statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

test("creates files that only their owner can read", async () => {
  await using journal = await openSqliteLog({ file });
  await journal.claim("s", "writer");
  const names = readdirSync(join(folder, "deep"));
  expect(names.toSorted()).toEqual(["journal.db", "journal.db-bell", "journal.db-shm", "journal.db-wal"]);
  for (const name of names) expect(statSync(join(folder, "deep", name)).mode & 0o777).toBe(0o600);
});

test("syncs each commit and uses a write-ahead log, so that readers do not wait for writers", async () => {
  await using _ = await openSqliteLog({ file });
  using writer = connectToWrite(file);
  expect(writer.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  expect(writer.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("touches the change file with each commit, for watchers in other processes", async () => {
  await using journal = await openSqliteLog({ file });
  const changeFile = `${file}-bell`;
  utimesSync(changeFile, 1, 1);
  await journal.claim("s", "writer");
  await vi.waitUntil(() => statSync(changeFile).mtimeMs > 1_000);
});

test("opens the reading connection read-only", async () => {
  await writeThreeBatches();
  using reader = connectToRead(file);
  expect(() => reader.exec("DELETE FROM frames")).toThrow("readonly");
});

test("rejects a file that is not a database", async () => {
  await writeThreeBatches();
  writeFileSync(file, "This text is long enough to contain a database header. ".repeat(100));
  await expect(openSqliteLog({ file })).rejects.toMatchObject({ code: "corrupt" });
});

test("rejects a file that a newer Fairlead wrote", async () => {
  await writeThreeBatches();
  executeSql("PRAGMA user_version = 3");
  await expect(openSqliteLog({ file })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("newer Fairlead"),
  });
});

test("throws `unavailable` when the file cannot be created", async () => {
  writeFileSync(join(folder, "deep"), "a file with the name of the folder");
  await expect(openSqliteLog({ file })).rejects.toMatchObject({ code: "unavailable" });
});

test.runIf(process.platform === "linux")(
  "keeps the locks of a first log when a second one opens the file",
  async () => {
    const countLocks = () => {
      const inode = `:${statSync(file).ino} `;
      const lines = readFileSync("/proc/locks", "utf8").split("\n");
      const own = lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(inode));
      // While other processes lock and unlock, the list may show a lock twice, under two numbers.
      return new Set(own.map((line) => line.replace(/^\d+:/, ""))).size;
    };
    await using first = await openSqliteLog({ file });
    await first.claim("s", "writer");
    expect(countLocks()).toBe(1);
    await using _ = await openSqliteLog({ file });
    expect(countLocks()).toBe(1);
  },
);
