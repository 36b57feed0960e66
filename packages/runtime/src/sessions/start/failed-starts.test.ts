import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteLog } from "@fairlead/journal";
import { readProcessIdentity, SpoolReader, startKeeper } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { currentOwner } from "../owner.ts";

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

test("the sweep removes what a killed start has left, and not a start of a living process or a session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder, session: "session" });
  await using journal = await openSqliteLog({ file: testHome.home.journalFile });
  const deadOwner = JSON.stringify({ ...(JSON.parse(currentOwner()) as object), startTime: 1 });
  await journal.claim("killed", deadOwner);
  await journal.claim("starting", currentOwner());
  const pids = new Map<string, number>();
  expect(readdirSync(testHome.home.startsFolder)).toEqual([]);
  for (const name of ["killed", "starting", "unclaimed", "session"]) {
    writeFileSync(join(testHome.home.startsFolder, name), "");
  }
  for (const name of ["killed", "starting", "unclaimed"]) {
    await using keeper = await startKeeper(testHome.home.sessionFolder(name));
    pids.set(name, keeper.hello.pid);
  }
  runtime.sweepFailedStarts();
  await vi.waitUntil(() => !existsSync(testHome.home.sessionFolder("killed")), 20_000);
  expect(readProcessIdentity(pids.get("killed") ?? 0)).toBeNull();
  expect(await journal.tail("killed")).toMatchObject({ epoch: 0 });
  for (const name of ["starting", "unclaimed"]) {
    expect(existsSync(testHome.home.sessionFolder(name))).toBe(true); // `unclaimed` is young
    expect(readProcessIdentity(pids.get(name) ?? 0)).not.toBeNull();
    process.kill(pids.get(name) ?? 0, "SIGTERM");
  }
  await vi.waitUntil(() => readdirSync(testHome.home.startsFolder).length === 2, 20_000);
  expect(readdirSync(testHome.home.startsFolder).toSorted()).toEqual(["starting", "unclaimed"]);
  expect(session.isFinished).toBe(false);
});

test("a start that cannot be removed keeps no other from being removed", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await using journal = await openSqliteLog({ file: testHome.home.journalFile });
  const deadOwner = JSON.stringify({ ...(JSON.parse(currentOwner()) as object), startTime: 1 });
  const { startsFolder } = testHome.home;
  for (const name of ["a", "b"]) {
    await journal.claim(name, deadOwner);
    writeFileSync(join(startsFolder, name), "");
  }
  const prototype = Object.getPrototypeOf(journal) as Pick<typeof journal, "forget">;
  const { forget } = prototype;
  vi.spyOn(prototype, "forget").mockImplementation(async function (this: typeof journal, session, fence) {
    if (session === "a") throw new Error("EIO: i/o error");
    return await forget.call(this, session, fence);
  });
  runtime.sweepFailedStarts();
  await vi.waitUntil(() => !existsSync(join(startsFolder, "b")), 20_000);
  expect(readdirSync(startsFolder)).toEqual(["a"]);
});
