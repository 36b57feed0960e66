import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Author, counted, told } from "../conformance/author.ts";
import { placeAfter } from "./chain.ts";
import { connectToRead, connectToWrite } from "./connect.ts";
import { Doorbell } from "./doorbell.ts";
import { toDraft } from "./frame-row.ts";
import { FrameTable } from "./frame-table.ts";
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

/** A log that hears of nothing but its own commits. */
async function openDeafLog(): Promise<SqliteLog> {
  await (await openSqliteLog({ file }))[Symbol.asyncDispose]();
  const writer = connectToWrite(file);
  const reader = connectToRead(file);
  const table = new FrameTable(reader);
  const doorbell = new Doorbell(table, () => new DisposableStack());
  const commits = new GroupCommit(writer, new FrameTable(writer), () => doorbell.look());
  const close = () => [reader, writer].forEach((connection) => connection.close());
  return new SqliteLog({ table, commits, doorbell, recovery: undefined, close });
}

test("a commit that fails is a success for nobody, and the next one is not harmed by it", async () => {
  await using journal = await openSqliteLog({ file });
  using saboteur = connectToWrite(file);
  // A promise that is checked only at the commit, and that a frame of the session "bad" breaks.
  saboteur.exec(`
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER sabotage AFTER INSERT ON frames WHEN new.session = 'bad' BEGIN INSERT INTO child VALUES (1); END;
  `);
  const outcomes = await Promise.allSettled(["good", "bad"].map((session) => journal.claim(session, "author")));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "unavailable" } });
  expect(await Array.fromAsync(journal.sessions())).toEqual([]);
  expect(await journal.claim("good", "author")).toMatchObject({ epoch: 1 });
});

test("who writes alone never waits for company; after a commit of several the next one does", async () => {
  await using journal = await openSqliteLog({ file });
  const [first, second] = [await Author.claim(journal, "a"), await Author.claim(journal, "b")];
  const took = async (write: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await write();
    return performance.now() - began;
  };
  const alone: number[] = [];
  for (let n = 0; n < 20; n++) alone.push(await took(() => first.append("alone")));
  expect(Math.min(...alone)).toBeLessThan(3);
  const afterwards: number[] = [];
  for (let n = 0; n < 5; n++) {
    await Promise.all([first.append("both"), second.append("both")]);
    afterwards.push(await took(() => first.append("next")));
  }
  expect(Math.min(...afterwards)).toBeGreaterThan(2);
});

test("closing a log writes what waits", async () => {
  const journal = await openSqliteLog({ file });
  const author = await Author.claim(journal, "s");
  const appending = author.append("1");
  await journal[Symbol.asyncDispose]();
  await appending;
  await using again = await openSqliteLog({ file });
  expect(told(await Array.fromAsync(again.read("s", 0)))).toEqual(counted(1));
});

test("appends of this process wake its watchers without any look-out, and closing wakes them too", async () => {
  const journal = await openDeafLog();
  const author = await Author.claim(journal, "s");
  const watch = journal.watch("s", 0, AbortSignal.timeout(4_000));
  for (let n = 1; n <= 3; n++) {
    const next = watch.next();
    await author.append(`${n}`);
    expect((await next).value).toMatchObject({ first: n });
  }
  const next = expect(watch.next()).rejects.toMatchObject({ code: "unavailable" });
  // A few turns of the event loop, in which the watch finds that there is nothing to read.
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  await journal[Symbol.asyncDispose]();
  await next;
});

test("a reader is given large frames a few at a time", async () => {
  await using journal = await openSqliteLog({ file });
  const author = await Author.claim(journal, "s");
  for (let n = 0; n < 5; n++) await author.append("x".repeat(600_000));
  using reader = connectToRead(file);
  const pages = await Array.fromAsync(readPages(new FrameTable(reader), "s", placeAfter(0)));
  expect(pages.map(({ frames }) => frames.length)).toEqual([2, 2, 2]);
});

test("a batch has a largest size, and what is left over is written right after", async () => {
  await (await openSqliteLog({ file }))[Symbol.asyncDispose]();
  using writer = connectToWrite(file);
  let commits = 0;
  const group = new GroupCommit(writer, new FrameTable(writer), () => commits++);
  const claim = (session: string, size: number) =>
    group.write({
      session,
      bytes: size,
      compose: () => toDraft({ session, epoch: 1, first: 1, events: [new Uint8Array(size)], owner: "author" }),
    });
  await Promise.all([claim("huge", 3_000_000), ...Array.from({ length: 40 }, (_, n) => claim(`${n}`, 50_000))]);
  expect(commits).toBe(3);
  await Promise.all(Array.from({ length: 40 }, (_, n) => claim(`small ${n}`, 50)));
  expect(commits).toBe(4);
});

test("while another process holds the lock, appends wait and all else goes on", async () => {
  await using journal = await openSqliteLog({ file });
  const author = await Author.claim(journal, "s");
  using other = connectToWrite(file);
  other.exec("BEGIN IMMEDIATE");
  let written = false;
  const appending = author.append("1").then(() => (written = true));
  const began = performance.now();
  let longest = 0;
  for (let turn = 0; turn < 30; turn++) {
    const before = performance.now();
    await pause(5);
    longest = Math.max(longest, performance.now() - before);
    expect(await journal.tail("s")).toMatchObject({ last: 0 });
  }
  expect(written).toBe(false);
  // Ten seconds would be the sum of its patience; a turn takes a few milliseconds and whatever else the machine does.
  expect(longest).toBeLessThan(1_000);
  other.exec("COMMIT");
  await appending;
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(await journal.tail("s")).toMatchObject({ last: 1 });
});

test("a lock that is never let go of makes the log unavailable, and the next append is not harmed", async () => {
  await using journal = await openSqliteLog({ file });
  const author = await Author.claim(journal, "s");
  using other = connectToWrite(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(author.append("1")).rejects.toMatchObject({ code: "unavailable" });
  other.exec("ROLLBACK");
  await author.append("1");
  expect(told(await Array.fromAsync(journal.read("s", 0)))).toEqual(counted(1));
}, 20_000);
