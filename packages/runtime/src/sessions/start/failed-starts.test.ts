import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteLog } from "@fairlead/journal";
import { readProcessIdentity, SpoolReader, startKeeper } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import type { Runtime } from "../../runtime.ts";

afterEach(() => vi.restoreAllMocks());

/** Makes reads of spools fail after a number of records. Returns the keeper of the session at that moment. */
function failReadsAfter(recordCount: number, testHome: TestHome, session: string): { readonly pid: number } {
  const keeper = { pid: 0 };
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its reader below
  const { read } = SpoolReader.prototype;
  let count = 0;
  vi.spyOn(SpoolReader.prototype, "read").mockImplementation(function (this: SpoolReader) {
    const records = count < recordCount ? read.call(this).slice(0, recordCount - count) : null;
    count += records?.length ?? 0;
    if (records !== null) return records;
    keeper.pid ||= readKeeperPid(testHome, session);
    throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
  });
  return keeper;
}

function readKeeperPid(testHome: TestHome, session: string): number {
  const file = join(testHome.home.sessionFolder(session), "keeper.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
}

function listDiscarded({ home }: TestHome): string[] {
  return existsSync(home.discardedFolder) ? readdirSync(home.discardedFolder) : [];
}

describe("a start that fails", () => {
  test("before the first event leaves no keeper, no folder and no session, and can be repeated", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const start = () => runtime.start({ agent: "scripted", workspace: testHome.folder, session: "one", name: "n" });
    const keeper = failReadsAfter(0, testHome, "one");
    await expect(start()).rejects.toThrow("EMFILE");
    expect(keeper.pid).toBeGreaterThan(0); // control: a keeper was started
    expect(readProcessIdentity(keeper.pid)).toBeNull();
    expect(existsSync(testHome.home.sessionFolder("one"))).toBe(false);
    expect(readdirSync(testHome.home.startsFolder)).toEqual([]);
    expect(await Array.fromAsync(runtime.catalog.listTails())).toEqual([]);
    vi.restoreAllMocks();
    const session = await start();
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    expect((await eventsUntil(session, "turn.ended")).at(-1)?.body).toMatchObject({ outcome: "completed" });
  });

  test("after the first event leaves a session that has ended, and no keeper", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const keeper = failReadsAfter(1, testHome, "one");
    await expect(runtime.start({ agent: "scripted", workspace: testHome.folder, session: "one" })).rejects.toThrow();
    vi.restoreAllMocks();
    expect(readProcessIdentity(keeper.pid)).toBeNull();
    const events = await readJournal(runtime, "one");
    expect(events[0]?.body.type).toBe("session.started");
    expect(events.at(-1)?.body).toMatchObject({ type: "session.ended", reason: "lost" });
    await runtime.forget("one");
    expect(existsSync(testHome.home.sessionFolder("one"))).toBe(false);
  });
});

describe("a failed start that could not be removed", () => {
  /** Lets a start fail, and the removal of what it has left too. The removal is tried again after a second. */
  async function failStartAndRemoval(testHome: TestHome, runtime: Runtime, recordCount: number): Promise<void> {
    await using journal = await openSqliteLog({ file: testHome.home.journalFile });
    const prototype = Object.getPrototypeOf(journal) as typeof journal;
    failReadsAfter(recordCount, testHome, "one");
    vi.spyOn(prototype, "forget").mockRejectedValue(new Error("EMFILE"));
    vi.spyOn(process, "kill").mockImplementation(() => {
      throw new Error("EPERM");
    });
    await expect(runtime.start({ agent: "scripted", workspace: testHome.folder, session: "one" })).rejects.toThrow();
    vi.restoreAllMocks();
  }

  const retryTime = 2500;

  test("is removed later", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await failStartAndRemoval(testHome, runtime, 0);
    expect(listDiscarded(testHome)).toEqual(["one"]); // control
    await vi.waitUntil(() => listDiscarded(testHome).length === 0, 20_000);
    await using journal = await openSqliteLog({ file: testHome.home.journalFile });
    await vi.waitUntil(async () => (await journal.tail("one")).epoch === 0, 20_000);
  });

  test("ends later, if it has events", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await failStartAndRemoval(testHome, runtime, 1);
    await vi.waitUntil(async () => (await readJournal(runtime, "one")).at(-1)?.body.type === "session.ended", 20_000);
    await vi.waitUntil(() => readdirSync(testHome.home.startsFolder).length === 0, 20_000);
  });

  test.each([0, 1])("does not end a later start of the same session, with %i events before", async (recordCount) => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await failStartAndRemoval(testHome, runtime, recordCount);
    const session = await runtime.start({ agent: "scripted", workspace: testHome.folder, session: "one" });
    await sleep(retryTime);
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    expect((await eventsUntil(session, "turn.ended")).at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(session.isFinished).toBe(false);
    expect(readdirSync(testHome.home.startsFolder)).toEqual([]);
    await vi.waitUntil(() => listDiscarded(testHome).length === 0, 20_000);
  });

  test("does not end a session that this process has attached to since", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await failStartAndRemoval(testHome, runtime, 1);
    await using session = await runtime.attach("one");
    await sleep(retryTime);
    expect(session.isFinished).toBe(false);
    expect((await readJournal(runtime, "one")).map(({ body }) => body.type)).not.toContain("session.ended");
  });

  test("does not end the session if another process has claimed it since", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await failStartAndRemoval(testHome, runtime, 0);
    await using journal = await openSqliteLog({ file: testHome.home.journalFile });
    const claim = await journal.claim("one", "another process");
    await using keeper = await startKeeper(testHome.home.sessionFolder("one"));
    await sleep(retryTime);
    expect(await journal.tail("one")).toMatchObject({ fence: claim.fence, owner: "another process" });
    expect(readProcessIdentity(keeper.hello.pid)).not.toBeNull();
    process.kill(keeper.hello.pid, "SIGTERM");
    await vi.waitUntil(() => listDiscarded(testHome).length === 0, 20_000);
  });
});

test("a start succeeds if its marker cannot be removed", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const marker = testHome.home.startMarkerFile("one");
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its reader below
  const { read } = SpoolReader.prototype;
  vi.spyOn(SpoolReader.prototype, "read").mockImplementation(function (this: SpoolReader) {
    rmSync(marker, { recursive: true });
    mkdirSync(marker);
    return read.call(this);
  });
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder, session: "one" });
  vi.restoreAllMocks();
  expect(existsSync(marker)).toBe(true); // control
  expect(session.isFinished).toBe(false);
});

test("a start that is under way when the runtime is disposed is not stopped, and the next runtime drives the session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its reader below
  const { read } = SpoolReader.prototype;
  let isHeld = false;
  vi.spyOn(SpoolReader.prototype, "read").mockImplementation(function (this: SpoolReader) {
    const records = isHeld ? [] : read.call(this).slice(0, 1);
    isHeld ||= records.length > 0;
    return records;
  });
  const start = runtime.start({ agent: "scripted", workspace: testHome.folder, session: "one" });
  const failed = expect(start).rejects.toThrow();
  await vi.waitUntil(async () => (await readJournal(runtime, "one").catch(() => [])).length > 0, 20_000);
  const pid = readKeeperPid(testHome, "one");
  await runtime[Symbol.asyncDispose]();
  await failed;
  vi.restoreAllMocks();
  expect(readProcessIdentity(pid)).not.toBeNull();
  const next = await testHome.open();
  expect((await readJournal(next, "one")).map(({ body }) => body.type)).not.toContain("session.ended");
  const session = await next.attach("one");
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  expect((await eventsUntil(session, "turn.ended")).at(-1)?.body).toMatchObject({ outcome: "completed" });
});
