import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { currentOwner } from "@fairlead/engine";
import { openSqliteLog, type SqliteLog } from "@fairlead/journal";
import { readProcessIdentity, startKeeper } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Runtime } from "../../runtime.ts";
import { FailedStarts } from "./failed-starts.ts";

afterEach(() => vi.restoreAllMocks());

const deadOwner = JSON.stringify({ ...(JSON.parse(currentOwner()) as object), startTime: 1 });

/** Leaves what a killed start leaves: a claim, a marker and a keeper. Returns the keeper's process id. */
async function leaveStart(testHome: TestHome, session: string, owner: string | null = deadOwner): Promise<number> {
  const { home } = testHome;
  await using journal = await openSqliteLog({ file: home.journalFile });
  if (owner !== null) await journal.claim(session, owner);
  mkdirSync(home.startsFolder, { recursive: true });
  writeFileSync(home.startMarkerFile(session), "");
  await using keeper = await startKeeper(home.sessionFolder(session));
  return keeper.hello.pid;
}

async function expectNothingLeft(testHome: TestHome, session: string, keeperPid: number): Promise<void> {
  const { home } = testHome;
  await using journal = await openSqliteLog({ file: home.journalFile });
  expect(readProcessIdentity(keeperPid)).toBeNull();
  expect(existsSync(home.sessionFolder(session))).toBe(false);
  expect(existsSync(join(home.discardedFolder, session))).toBe(false);
  expect(await journal.tail(session)).toMatchObject({ epoch: 0 });
  expect(existsSync(home.startMarkerFile(session))).toBe(false);
}

/** Runs an action after a call of a method of the journal, before its caller continues. */
function runAfter(journal: SqliteLog, method: "append" | "forget", action: () => Promise<void>): void {
  const prototype = Object.getPrototypeOf(journal) as Record<typeof method, (...args: unknown[]) => Promise<unknown>>;
  const original = prototype[method];
  vi.spyOn(prototype, method).mockImplementationOnce(async function (this: SqliteLog, ...args: unknown[]) {
    const result = await original.apply(this, args);
    await action();
    return result;
  });
}

test("the sweep removes what a process that was killed during a start has left", async () => {
  await using testHome = new TestHome();
  const { home } = testHome;
  const program = fileURLToPath(new URL("../../../../testing/src/runtime/halted-start.ts", import.meta.url));
  const child = spawn(process.execPath, [program, home.folder, testHome.folder, "one"], { stdio: "ignore" });
  await vi.waitUntil(() => existsSync(join(home.sessionFolder("one"), "keeper.json")), 20_000);
  child.kill("SIGKILL");
  await once(child, "exit");
  const { pid } = JSON.parse(readFileSync(join(home.sessionFolder("one"), "keeper.json"), "utf8")) as { pid: number };
  expect(readProcessIdentity(pid)).not.toBeNull(); // control
  const runtime = await testHome.open();
  await runtime.sweepFailedStarts();
  await expectNothingLeft(testHome, "one", pid);
});

test("the sweep removes what a killed start has left, and not a start of a living process or a session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const { home } = testHome;
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder, session: "session" });
  expect(readdirSync(home.startsFolder)).toEqual([]);
  const killed = await leaveStart(testHome, "killed");
  const others = {
    starting: await leaveStart(testHome, "starting", currentOwner()),
    unclaimed: await leaveStart(testHome, "unclaimed", null), // it is young
  };
  writeFileSync(home.startMarkerFile("session"), "");
  await runtime.sweepFailedStarts();
  await expectNothingLeft(testHome, "killed", killed);
  for (const [name, pid] of Object.entries(others)) {
    expect(existsSync(home.sessionFolder(name))).toBe(true);
    expect(readProcessIdentity(pid)).not.toBeNull();
    process.kill(pid, "SIGTERM");
  }
  expect(readdirSync(home.startsFolder).toSorted()).toEqual(["starting", "unclaimed"]);
  expect(session.isFinished).toBe(false);
});

test("a start that cannot be removed keeps no other from being removed", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const { home } = testHome;
  for (const name of ["a", "b"]) await leaveStart(testHome, name);
  await using journal = await openSqliteLog({ file: home.journalFile });
  const prototype = Object.getPrototypeOf(journal) as SqliteLog;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its log below
  const { append } = prototype;
  vi.spyOn(prototype, "append").mockImplementation(async function (this: SqliteLog, batch, fence) {
    if (batch.session === "a") throw new Error("EIO: i/o error");
    return await append.call(this, batch, fence);
  });
  await runtime.sweepFailedStarts();
  expect(readdirSync(home.startsFolder)).toEqual(["a"]);
  vi.restoreAllMocks();
  await runtime.sweepFailedStarts();
  expect(readdirSync(home.startsFolder)).toEqual([]);
});

test("starts that are in progress are looked at again", async () => {
  await using testHome = new TestHome();
  const { engine } = await testHome.open();
  const { home } = testHome;
  const pid = await leaveStart(testHome, "unclaimed", null);
  const { log: journal, hosts } = engine;
  await using membership = await hosts.join({ name: "sweeper" });
  const { owner } = membership;
  await using failedStarts = new FailedStarts({ home, journal, hosts, owner, unclaimedAge: 2000 });
  utimesSync(home.startMarkerFile("unclaimed"), new Date(), new Date()); // it is young
  await failedStarts.sweep();
  expect(readProcessIdentity(pid)).not.toBeNull();
  await vi.waitUntil(() => !existsSync(home.startMarkerFile("unclaimed")), 20_000);
  await vi.waitUntil(async () => (await journal.tail("unclaimed")).epoch === 0, 20_000);
  await expectNothingLeft(testHome, "unclaimed", pid);
});

test("the sweep removes the folder of an interrupted removal, its secrets first", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const folder = join(testHome.home.discardedFolder, "one");
  await using keeper = await startKeeper(folder);
  const { pid } = keeper.hello;
  const secrets = join(folder, "secrets.json");
  writeFileSync(secrets, "{}");
  const hadSecrets: boolean[] = [];
  const kill = process.kill.bind(process);
  vi.spyOn(process, "kill").mockImplementation((...args) => {
    if (args[0] === pid && args[1] === "SIGTERM") hadSecrets.push(existsSync(secrets));
    return kill(...args);
  });
  await runtime.sweepFailedStarts();
  expect(hadSecrets).toEqual([false]);
  expect(existsSync(folder)).toBe(false);
  expect(readProcessIdentity(pid)).toBeNull();
});

describe("a start that is repeated while the sweep removes what the first attempt has left", () => {
  async function expectToRun(testHome: TestHome, starting: ReturnType<Runtime["start"]>): Promise<void> {
    const session = await starting;
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    expect((await eventsUntil(session, "turn.ended")).at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(session.isFinished).toBe(false);
    expect(existsSync(join(testHome.home.sessionFolder("one"), "spool"))).toBe(true);
    expect(readdirSync(testHome.home.startsFolder)).toEqual([]);
    expect(existsSync(join(testHome.home.discardedFolder, "one"))).toBe(false);
  }

  test.each([
    ["in the same process", "append"],
    ["in the same process", "forget"],
    ["in another process", "append"],
    ["in another process", "forget"],
  ] as const)("runs, %s, after `%s`", async (place, method) => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const starter = place === "in another process" ? await testHome.open() : runtime;
    const pid = await leaveStart(testHome, "one");
    await using journal = await openSqliteLog({ file: testHome.home.journalFile });
    const started = Promise.withResolvers<Awaited<ReturnType<Runtime["start"]>>>();
    runAfter(journal, method, async () => {
      starter
        .start({ agent: "scripted", workspace: testHome.folder, session: "one" })
        .then(started.resolve, started.reject);
      await sleep(500);
    });
    await runtime.sweepFailedStarts();
    await expectToRun(testHome, started.promise);
    expect(readProcessIdentity(pid)).toBeNull();
  });
});
