import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestWriter, numberedEvents, formatEvents } from "../conformance/test-writer.ts";
import { positionAfter } from "./chain.ts";
import { connectToRead, connectToWrite } from "./connect.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import { toBatchDraft } from "./batch-row.ts";
import { BatchTable } from "./batch-table.ts";
import { GroupCommit } from "./group-commit.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";
import { readPages } from "./read-pages.ts";
import { SqliteLog } from "./sqlite-log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-commit-"));
  file = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens a log that notices only its own commits. */
async function openLogWithoutFileWatch(): Promise<SqliteLog> {
  await (await openSqliteLog({ file }))[Symbol.asyncDispose]();
  const writer = connectToWrite(file);
  const reader = connectToRead(file);
  const table = new BatchTable(reader);
  const notifier = new ChangeNotifier(table, () => new DisposableStack());
  const groupCommit = new GroupCommit(writer, new BatchTable(writer), () => notifier.checkForChanges());
  const close = () => [reader, writer].forEach((connection) => connection.close());
  return new SqliteLog({ table, groupCommit, notifier, recovery: undefined, close });
}

test("rejects all appends of a failed commit, and commits the next append", async () => {
  await using journal = await openSqliteLog({ file });
  using connection = connectToWrite(file);
  // A foreign key that SQLite checks only at the commit, and that a batch of the session "bad" violates.
  connection.exec(`
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER violate AFTER INSERT ON frames WHEN new.session = 'bad' BEGIN INSERT INTO child VALUES (1); END;
  `);
  const outcomes = await Promise.allSettled(["good", "bad"].map((session) => journal.claim(session, "writer")));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "unavailable" } });
  expect(await Array.fromAsync(journal.sessions())).toEqual([]);
  expect(await journal.claim("good", "writer")).toMatchObject({ epoch: 1 });
});

test("commits a sole writer at once, and delays the commit that follows a group", async () => {
  await using journal = await openSqliteLog({ file });
  const [first, second] = [await TestWriter.claim(journal, "a"), await TestWriter.claim(journal, "b")];
  const measure = async (write: () => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    await write();
    return performance.now() - startedAt;
  };
  const soleDurations: number[] = [];
  for (let n = 0; n < 20; n++) soleDurations.push(await measure(() => first.append("alone")));
  expect(Math.min(...soleDurations)).toBeLessThan(3);
  const delayedDurations: number[] = [];
  for (let n = 0; n < 9; n++) {
    await Promise.all([first.append("both"), second.append("both")]);
    delayedDurations.push(await measure(() => first.append("next")));
  }
  // The median, because on a busy machine part of the delay can pass before an append starts.
  expect(delayedDurations.toSorted((one, other) => one - other)[4]).toBeGreaterThan(2);
});

test("writes queued appends when the log is closed", async () => {
  const journal = await openSqliteLog({ file });
  const writer = await TestWriter.claim(journal, "s");
  const appending = writer.append("1");
  await journal[Symbol.asyncDispose]();
  await appending;
  await using reopened = await openSqliteLog({ file });
  expect(formatEvents(await Array.fromAsync(reopened.read("s", 0)))).toEqual(numberedEvents(1));
});

test("notifies watchers of its own appends and of its close without a file watch", async () => {
  const journal = await openLogWithoutFileWatch();
  const writer = await TestWriter.claim(journal, "s");
  const watch = journal.watch("s", 0, AbortSignal.timeout(4_000));
  for (let n = 1; n <= 3; n++) {
    const next = watch.next();
    await writer.append(`${n}`);
    expect((await next).value).toMatchObject({ first: n });
  }
  const next = expect(watch.next()).rejects.toMatchObject({ code: "unavailable" });
  // Within a few event loop turns the watch finds nothing to read and waits.
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  await journal[Symbol.asyncDispose]();
  await next;
});

test("reads large batches in small pages", async () => {
  await using journal = await openSqliteLog({ file });
  const writer = await TestWriter.claim(journal, "s");
  for (let n = 0; n < 5; n++) await writer.append("x".repeat(600_000));
  using reader = connectToRead(file);
  const pages = await Array.fromAsync(readPages(new BatchTable(reader), "s", positionAfter(0)));
  expect(pages.map(({ batches }) => batches.length)).toEqual([2, 2, 2]);
});

test("splits a queue that exceeds the maximum group size into several commits", async () => {
  await (await openSqliteLog({ file }))[Symbol.asyncDispose]();
  using writer = connectToWrite(file);
  let commits = 0;
  const groupCommit = new GroupCommit(writer, new BatchTable(writer), () => commits++);
  const write = (session: string, size: number) =>
    groupCommit.write({
      session,
      bytes: size,
      compose: () => toBatchDraft({ session, epoch: 1, first: 1, events: [new Uint8Array(size)], owner: "writer" }),
    });
  await Promise.all([write("huge", 3_000_000), ...Array.from({ length: 40 }, (_, n) => write(`${n}`, 50_000))]);
  expect(commits).toBe(3);
  await Promise.all(Array.from({ length: 40 }, (_, n) => write(`small ${n}`, 50)));
  expect(commits).toBe(4);
});

test("delays appends while another connection holds the lock, and does not block the event loop", async () => {
  await using journal = await openSqliteLog({ file });
  const writer = await TestWriter.claim(journal, "s");
  using otherConnection = connectToWrite(file);
  otherConnection.exec("BEGIN IMMEDIATE");
  let isWritten = false;
  const appending = writer.append("1").then(() => (isWritten = true));
  const startedAt = performance.now();
  let longestTurnMs = 0;
  for (let turn = 0; turn < 30; turn++) {
    const before = performance.now();
    await pause(5);
    longestTurnMs = Math.max(longestTurnMs, performance.now() - before);
    expect(await journal.tail("s")).toMatchObject({ last: 0 });
  }
  expect(isWritten).toBe(false);
  // A blocking wait would take ten seconds. A turn takes a few milliseconds, more on a busy machine.
  expect(longestTurnMs).toBeLessThan(1_000);
  otherConnection.exec("COMMIT");
  await appending;
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(await journal.tail("s")).toMatchObject({ last: 1 });
});

test("rejects an append while a lock is never released, and accepts the next one", async () => {
  await using journal = await openSqliteLog({ file });
  const writer = await TestWriter.claim(journal, "s");
  using otherConnection = connectToWrite(file);
  otherConnection.exec("BEGIN IMMEDIATE");
  await expect(writer.append("1")).rejects.toMatchObject({ code: "unavailable" });
  otherConnection.exec("ROLLBACK");
  await writer.append("1");
  expect(formatEvents(await Array.fromAsync(journal.read("s", 0)))).toEqual(numberedEvents(1));
}, 20_000);
