import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withScript } from "@fairlead/kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { leaveSessionsRunning } from "@fairlead/testing/service/leave-sessions-running.ts";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { trimSpool } from "@fairlead/testing/service/trim-spool.ts";
import type { LocalFairlead } from "./local-fairlead.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
/** Takes minutes, so that the agent is in a turn while the session is damaged. */
const long = withScript("Count.", [
  { flood: { lines: 300 } },
  { text: "word ".repeat(1000), chunks: 1000, chunkDelay: 250 },
]);

let testHome: ServiceTestHome;
beforeEach(() => {
  vi.stubEnv("FAIRLEAD_SPOOL_BYTES", "40000"); // several segments, so that records can be trimmed
  testHome = new ServiceTestHome();
});
afterEach(() => testHome[Symbol.asyncDispose]());

function executeSql(statement: string, session: string): void {
  using database = new DatabaseSync(testHome.home.journalFile);
  database.prepare(statement).run(session);
}

const keeperPid = (session: string): number => {
  const file = join(testHome.home.sessionFolder(session), "keeper.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
};

/** Whether a process runs. One that has exited stays in /proc until its parent has read its exit code. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

const newestRow = "(SELECT max(id) FROM frames WHERE session = ?1)";
const spoolFiles = (session: string): string[] =>
  globSync("spool/*.spool", { cwd: testHome.home.sessionFolder(session) }).map((name) =>
    join(testHome.home.sessionFolder(session), name),
  );

const damages: readonly (readonly [string, (session: string) => Promise<void> | void])[] = [
  [
    "its first event",
    (session) => executeSql("UPDATE frames SET data = x'00' WHERE session = ? AND first = 1", session),
  ],
  ["its newest event", (session) => executeSql(`UPDATE frames SET owner = 'x' WHERE id = ${newestRow}`, session)],
  ["all its events", (session) => executeSql("DELETE FROM frames WHERE session = ?", session)],
  [
    "its spool",
    (session) => {
      const [file = ""] = spoolFiles(session);
      writeFileSync(file, readFileSync(file).fill(0xff, 20, 40));
    },
  ],
  ["its whole spool", (session) => rmSync(join(testHome.home.sessionFolder(session), "spool"), { recursive: true })],
  [
    "a snapshot that it needs, because the records before it are trimmed",
    async (session) => {
      await trimSpool(testHome.home.sessionFolder(session));
      writeFileSync(testHome.home.snapshotFile(session), '1\n{"upTo');
    },
  ],
];

// Each starts three services and several agents.
describe.each(damages)("with damage in %s", { timeout: 120_000 }, (_, damage) => {
  test("a session is listed as damaged, can be stopped and forgotten, and does not affect others", async () => {
    const [running = "", damaged = ""] = await leaveSessionsRunning(
      testHome,
      2,
      long,
      (session) => spoolFiles(session).length > 1,
    );
    const pid = keeperPid(damaged);
    await damage(damaged);

    const second = await testHome.open();
    expect((await second.recovery).failures.map(({ session }) => session)).toEqual([damaged]);
    await expectUsable(second, running);
    const view = await second.session(damaged);
    expect(view).toMatchObject({ state: "damaged", problem: expect.stringMatching(/damaged|trimmed|gone|missing/) });
    expect((await second.health()).sessions).toMatchObject({ damaged: 1, working: 1, lost: 0 });
    expect(isRunning(pid)).toBe(true); // the agent runs
    await expect(second.forget(damaged)).rejects.toMatchObject({ code: "conflict" });

    expect(await second.stop(damaged)).toMatchObject({ state: "ended", reason: "lost" });
    expect(isRunning(pid)).toBe(false);
    expect(await second.stop(damaged)).toMatchObject({ state: "ended" });
    await testHome.close(second);

    const third = await testHome.open();
    expect((await third.recovery).failures).toEqual([]);
    expect(await third.session(damaged)).toMatchObject({ state: "ended", reason: "lost" });
    await third.forget(damaged);
    await expect(third.session(damaged)).rejects.toMatchObject({ code: "session-not-found" });
    expect(existsSync(testHome.home.sessionFolder(damaged))).toBe(false);
    await expectUsable(third, running);
    expect((await third.sessions()).sessions.map(({ session }) => session)).toEqual([running]);
  });
});

test.each(damages.slice(0, 3))(
  "a session with damage in %s keeps what is known of it, and can be stopped by its name",
  { timeout: 120_000 },
  async (_, damage) => {
    const first = await testHome.open();
    const { session } = await first.start({ workspace: testHome.folder, name: "kept", prompt: long });
    await collectEventsUntil(first, session, "turn.started");
    const { name, agent, workspace, sandbox, turns, title, startedAt } = await first.session(session);
    await testHome.close(first);
    const pid = keeperPid(session);
    await damage(session);

    const second = await testHome.open();
    await second.recovery;
    await expect(Array.fromAsync(second.events(session))).rejects.toMatchObject({ code: "corrupt" });
    const known = { session, name, agent, workspace, sandbox, turns, title, startedAt };
    const problem = expect.stringMatching(/damaged|missing/);
    expect((await second.sessions()).sessions).toMatchObject([{ ...known, state: "damaged", problem }]);
    // A session that ended later does not hide the one whose agent runs.
    await second.stop((await second.start({ workspace: testHome.folder, name: "kept" })).session);
    expect(isRunning(pid)).toBe(true);
    expect(await second.stop("kept")).toMatchObject({ ...known, state: "ended", reason: "lost", problem });
    expect(isRunning(pid)).toBe(false);
    expect(await second.session(session)).toMatchObject({ ...known, state: "ended" });
  },
);

test("sessions of a journal that was lost are damaged while they have their folders, and can be stopped and forgotten", async () => {
  const first = await testHome.open();
  const { session } = await first.start({ workspace: testHome.folder, name: "kept", prompt: long });
  const { session: ended } = await first.start({ workspace: testHome.folder, name: "gone" });
  await collectEventsUntil(first, session, "turn.started");
  await first.stop(ended);
  const { name, agent, workspace, sandbox } = await first.session(session);
  await testHome.close(first);
  const pid = keeperPid(session);
  for (const file of globSync(`${testHome.home.journalFile}*`)) rmSync(file);
  rmSync(testHome.home.sessionFolder(ended), { recursive: true });

  const losses: unknown[] = [];
  const second = await testHome.open({ onEvent: () => {}, onJournalLoss: (error) => losses.push(error) });
  expect((await second.recovery).failures).toEqual([]);
  const problem = expect.stringContaining("The journal does not have session");
  const known = { session, name, agent, workspace, sandbox, problem };
  expect((await second.sessions()).sessions).toMatchObject([{ ...known, state: "damaged" }]);
  expect((await second.health()).sessions).toMatchObject({ damaged: 1, working: 0, lost: 0 });
  expect(losses).toMatchObject([{ code: "corrupt", message: expect.stringContaining("2 sessions") }]);
  await expect(second.forget(session)).rejects.toMatchObject({ code: "conflict" });
  expect(isRunning(pid)).toBe(true);
  expect(await second.stop("kept")).toMatchObject({ ...known, state: "ended", reason: "lost" });
  expect(isRunning(pid)).toBe(false);
  await testHome.close(second);

  const third = await testHome.open({ onEvent: () => {}, onJournalLoss: (error) => losses.push(error) });
  await third.recovery;
  expect((await third.sessions()).sessions).toMatchObject([{ ...known, state: "ended" }]);
  expect(losses).toHaveLength(1);
  await third.forget("kept");
  expect((await third.sessions()).sessions).toEqual([]);
  expect(existsSync(testHome.home.sessionFolder(session))).toBe(false);
});

/** Checks that a session without damage can be found by its name, read and driven. */
async function expectUsable(fairlead: LocalFairlead, session: string): Promise<void> {
  const name = (await fairlead.session(session)).name ?? "";
  await fairlead.inject(name, "Some context.");
  expect(await fairlead.session(name)).toMatchObject({ session, state: "working", problem: null });
  expect(await Array.fromAsync(fairlead.events(name))).not.toEqual([]);
  expect(await fairlead.decisions()).toEqual([]);
  await fairlead.usage();
}

test.for(["its events are read", "the index is rebuilt"])(
  "an ended session with damaged events stays ended, with its problem once %s, and can be forgotten",
  async (discovery) => {
    const first = await testHome.open();
    const { session } = await first.start({ workspace: testHome.folder, name: "one", prompt: hello });
    await collectEventsUntil(first, session, "turn.ended");
    await first.stop(session);
    await testHome.close(first);
    executeSql("UPDATE frames SET data = x'00' WHERE session = ? AND first = 2", session);

    if (discovery === "the index is rebuilt") rmSync(testHome.home.indexFile);
    const second = await testHome.open();
    expect((await second.recovery).failures).toEqual([]);
    const damaged = { code: "corrupt", message: expect.stringContaining("damaged") };
    if (discovery === "its events are read") {
      await expect(Array.fromAsync(second.events(session))).rejects.toMatchObject(damaged);
    }
    const problem = expect.stringContaining("damaged");
    expect((await second.sessions()).sessions).toMatchObject([
      { state: "ended", reason: "stopped", name: "one", problem },
    ]);
    await second.health();
    await second.forget(session);
    expect((await second.sessions()).sessions).toEqual([]);
  },
);
