import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Author, counted, told } from "../conformance/author.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";
import type { Recovery } from "./recovery.ts";

const frameBytes = 24 + 4096;

let folder: string;
let crashed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-recovery-"));
  crashed = join(folder, "crashed.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The files as they stand after some appends while the log is open: what a killed process would leave. */
async function crash(appends: number, meanwhile = (_file: string) => {}): Promise<void> {
  const file = join(folder, "alive.db");
  await (await openSqliteLog({ file }))[Symbol.asyncDispose]();
  await using journal = await openSqliteLog({ file });
  const author = await Author.claim(journal, "s");
  for (let n = 1; n <= appends; n++) await author.append(`${n}`);
  meanwhile(file);
  for (const end of ["", "-wal", "-shm"]) copyFileSync(file + end, crashed + end);
}

/** Opens what is left, and gives what is reported and what is read. */
async function open(): Promise<{ recovery: Recovery | undefined; events: string[] }> {
  const reports: Recovery[] = [];
  await using journal = await openSqliteLog({ file: crashed, onRecovery: (report) => reports.push(report) });
  expect(reports).toEqual(journal.recovery === undefined ? [] : [journal.recovery]);
  const events = told(await Array.fromAsync(journal.read("s", 0)));
  expect((await journal.tail("s")).last).toBe(events.length);
  await (await Author.claim(journal, "s", "heir")).append("on we go");
  return { recovery: journal.recovery, events };
}

function damageLog(at: number): void {
  const bytes = readFileSync(`${crashed}-wal`);
  bytes[at]! ^= 4;
  writeFileSync(`${crashed}-wal`, bytes);
}

// The claim and each append are a commit of three pages.
const after = (commits: number) => 32 + 3 * commits * frameBytes;

test("a log that was closed, or that somebody has open, has nothing to recover", async () => {
  await using first = await openSqliteLog({ file: crashed });
  await first.claim("s", "author");
  await using second = await openSqliteLog({ file: crashed });
  expect([first.recovery, second.recovery]).toEqual([undefined, undefined]);
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  expect(await open()).toMatchObject({ recovery: undefined });
});

test("what a killed process has committed is intact", async () => {
  await crash(5);
  const recovery = { framesKept: 18, bytesLeftOut: 0, verdict: "intact" };
  expect(await open()).toEqual({ recovery, events: counted(5) });
  expect(await open()).toMatchObject({ recovery: undefined });
});

test("a commit that its writer did not finish is left out, and is no damage", async () => {
  await crash(5);
  const whole = readFileSync(`${crashed}-wal`);
  // One page of a next commit, as it would stand there before the others: right, and without the mark of a commit.
  const begun = Buffer.from(whole.subarray(after(5), after(5) + frameBytes));
  truncateSync(`${crashed}-wal`, after(6));
  writeFileSync(`${crashed}-wal`, begun, { flag: "a" });
  const recovery = { framesKept: 18, bytesLeftOut: frameBytes, verdict: "unfinished" };
  expect(await open()).toEqual({ recovery, events: counted(5) });
});

test.for([
  ["at its end", () => truncateSync(`${crashed}-wal`, after(5)), 4, 0],
  ["in the middle of a commit", () => truncateSync(`${crashed}-wal`, after(4) + 5_000), 3, 5_000],
  ["altogether", () => rmSync(`${crashed}-wal`), 0, 0],
] as const)("a log cut off %s is damaged: SQLite's index knows of more", async ([, cut, last, bytesLeftOut]) => {
  await crash(5);
  cut();
  const { recovery, events } = await open();
  expect(recovery).toMatchObject({ bytesLeftOut, verdict: "damaged" });
  expect(events).toEqual(counted(last));
});

test.for([
  ["cut between two commits is taken for intact", () => truncateSync(`${crashed}-wal`, after(5)), "intact", 4],
  ["cut in a commit is taken for unfinished", () => truncateSync(`${crashed}-wal`, after(5) + 9), "unfinished", 4],
  ["damaged in its last commit is taken for unfinished", () => damageLog(after(5) + 99), "unfinished", 4],
  ["damaged before its last commit is damaged", () => damageLog(after(4) + 99), "damaged", 3],
  ["damaged in its header is damaged", () => damageLog(9), "damaged", 0],
] as const)("without the index, a log %s", async ([, damage, verdict, last]) => {
  await crash(5);
  rmSync(`${crashed}-shm`);
  damage();
  const { recovery, events } = await open();
  expect(recovery).toMatchObject({ verdict });
  expect(events).toEqual(counted(last));
});

test("what stands in the log from before it was begun anew is not left out: it is in the database", async () => {
  await crash(20, (file) => {
    using other = new DatabaseSync(file);
    other.exec("PRAGMA wal_checkpoint(RESTART); PRAGMA user_version = 2");
  });
  const recovery = { framesKept: 1, bytesLeftOut: 0, verdict: "intact" };
  expect(await open()).toEqual({ recovery, events: counted(20) });
});

test("a damaged log whose pages are all in the database already takes nothing away from it", async () => {
  await crash(20, (file) => {
    using other = new DatabaseSync(file);
    other.exec("PRAGMA wal_checkpoint(PASSIVE)");
  });
  damageLog(after(4) + 99);
  const recovery = { framesKept: 63, bytesLeftOut: 0, verdict: "intact" };
  expect(await open()).toEqual({ recovery, events: counted(20) });
  expect(existsSync(`${crashed}-wal`)).toBe(false);
});
