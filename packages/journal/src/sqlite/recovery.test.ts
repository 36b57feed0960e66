import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestWriter, numberedEvents, formatEvents } from "../conformance/test-writer.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";
import type { Recovery } from "./recovery.ts";

const frameBytes = 24 + 4096;

let folder: string;
let crashedFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-recovery-"));
  crashedFile = join(folder, "crashed.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Copies the files of an open log after some appends, as a killed process would leave them. */
async function writeCrashedFiles(appends: number, beforeCopy = (_file: string) => {}): Promise<void> {
  const file = join(folder, "alive.db");
  await (await openSqliteLog({ file }))[Symbol.asyncDispose]();
  await using journal = await openSqliteLog({ file });
  const writer = await TestWriter.claim(journal, "s");
  for (let n = 1; n <= appends; n++) await writer.append(`${n}`);
  beforeCopy(file);
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(file + suffix, crashedFile + suffix);
}

/** Opens the copied files. Returns the reported recovery and the events. */
async function openCrashedLog(): Promise<{ recovery: Recovery | undefined; events: string[] }> {
  await using journal = await openSqliteLog({ file: crashedFile });
  const events = formatEvents(await Array.fromAsync(journal.read("s", 0)));
  expect((await journal.tail("s")).last).toBe(events.length);
  await (await TestWriter.claim(journal, "s", "successor")).append("appended after recovery");
  return { recovery: journal.recovery, events };
}

function corruptWal(offset: number): void {
  const bytes = readFileSync(`${crashedFile}-wal`);
  bytes[offset]! ^= 4;
  writeFileSync(`${crashedFile}-wal`, bytes);
}

// The claim and each append make one commit of three pages.
const offsetAfterCommits = (commits: number) => 32 + 3 * commits * frameBytes;

test("reports no recovery for a log that was closed or that another process has open", async () => {
  await using first = await openSqliteLog({ file: crashedFile });
  await first.claim("s", "writer");
  await using second = await openSqliteLog({ file: crashedFile });
  expect([first.recovery, second.recovery]).toEqual([undefined, undefined]);
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  expect(await openCrashedLog()).toMatchObject({ recovery: undefined });
});

test("reports the commits of a killed process as intact", async () => {
  await writeCrashedFiles(5);
  const recovery = { framesKept: 18, bytesDiscarded: 0, verdict: "intact" };
  expect(await openCrashedLog()).toEqual({ recovery, events: numberedEvents(5) });
  expect(await openCrashedLog()).toMatchObject({ recovery: undefined });
});

test("discards an unfinished commit and does not report damage", async () => {
  await writeCrashedFiles(5);
  const wal = readFileSync(`${crashedFile}-wal`);
  // The first page of another commit: intact, but without the commit flag that the last page has.
  const firstPage = Buffer.from(wal.subarray(offsetAfterCommits(5), offsetAfterCommits(5) + frameBytes));
  truncateSync(`${crashedFile}-wal`, offsetAfterCommits(6));
  writeFileSync(`${crashedFile}-wal`, firstPage, { flag: "a" });
  const recovery = { framesKept: 18, bytesDiscarded: frameBytes, verdict: "unfinished" };
  expect(await openCrashedLog()).toEqual({ recovery, events: numberedEvents(5) });
});

test.for([
  ["at its end", () => truncateSync(`${crashedFile}-wal`, offsetAfterCommits(5)), 4, 0],
  ["in the middle of a commit", () => truncateSync(`${crashedFile}-wal`, offsetAfterCommits(4) + 5_000), 3, 5_000],
  ["at its start", () => rmSync(`${crashedFile}-wal`), 0, 0],
] as const)("reports a log cut %s as damaged, by SQLite's index", async ([, cut, last, bytesDiscarded]) => {
  await writeCrashedFiles(5);
  cut();
  const { recovery, events } = await openCrashedLog();
  expect(recovery).toMatchObject({ bytesDiscarded, verdict: "damaged" });
  expect(events).toEqual(numberedEvents(last));
});

test.for([
  ["cut between two commits as intact", () => truncateSync(`${crashedFile}-wal`, offsetAfterCommits(5)), "intact", 4],
  [
    "cut within a commit as unfinished",
    () => truncateSync(`${crashedFile}-wal`, offsetAfterCommits(5) + 9),
    "unfinished",
    4,
  ],
  ["damaged in its last commit as unfinished", () => corruptWal(offsetAfterCommits(5) + 99), "unfinished", 4],
  ["damaged before its last commit as damaged", () => corruptWal(offsetAfterCommits(4) + 99), "damaged", 3],
  ["damaged in its header as damaged", () => corruptWal(9), "damaged", 0],
] as const)("without the index, reports a log %s", async ([, damage, verdict, last]) => {
  await writeCrashedFiles(5);
  rmSync(`${crashedFile}-shm`);
  damage();
  const { recovery, events } = await openCrashedLog();
  expect(recovery).toMatchObject({ verdict });
  expect(events).toEqual(numberedEvents(last));
});

test("ignores frames from before the log was restarted, because the database has them", async () => {
  await writeCrashedFiles(20, (file) => {
    using other = new DatabaseSync(file);
    other.exec("PRAGMA wal_checkpoint(RESTART); PRAGMA user_version = 2");
  });
  const recovery = { framesKept: 1, bytesDiscarded: 0, verdict: "intact" };
  expect(await openCrashedLog()).toEqual({ recovery, events: numberedEvents(20) });
});

test("drops a damaged log whose pages are all in the database", async () => {
  await writeCrashedFiles(20, (file) => {
    using other = new DatabaseSync(file);
    other.exec("PRAGMA wal_checkpoint(PASSIVE)");
  });
  corruptWal(offsetAfterCommits(4) + 99);
  const recovery = { framesKept: 63, bytesDiscarded: 0, verdict: "intact" };
  expect(await openCrashedLog()).toEqual({ recovery, events: numberedEvents(20) });
  expect(existsSync(`${crashedFile}-wal`)).toBe(false);
});
