import { cpSync, existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { LocalFairlead } from "./local-fairlead.ts";

let testHome: ServiceTestHome;
beforeEach(() => (testHome = new ServiceTestHome()));
afterEach(() => testHome[Symbol.asyncDispose]());

const secret = "a unique secret phrase";
const script = `SCRIPT:${JSON.stringify([{ text: secret }])}`;

/** Runs a turn whose output is the secret, in a session whose key is its name. */
async function runSecretTurn(fairlead: LocalFairlead, name: string): Promise<string> {
  const request = { workspace: testHome.folder, name, prompt: script };
  const { session } = await fairlead.start(request, { key: name });
  await collectEventsUntil(fairlead, session, "turn.ended");
  return session;
}

function filesWithSecret(folder = testHome.home.folder): string[] {
  const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).filter((file) => readFileSync(file).includes(secret));
}

it("erases an ended session from all files", async () => {
  const fairlead = await testHome.open();
  const session = await runSecretTurn(fairlead, "forgotten");
  await fairlead.stop(session);
  await fairlead.forget("forgotten", { key: "forget" });
  await fairlead.forget("forgotten", { key: "forget" }); // a retry, as after a lost reply

  await expect(fairlead.session(session)).rejects.toMatchObject({ code: "session-not-found" });
  expect([...(await fairlead.sessions()).sessions, ...(await fairlead.usage())]).toEqual([]);
  expect(existsSync(testHome.home.sessionFolder(session))).toBe(false);
  const repeatedStart = fairlead.start(
    { workspace: testHome.folder, name: "forgotten", prompt: script },
    { key: "forgotten" },
  );
  await expect(repeatedStart).rejects.toMatchObject({ code: "session-not-found" });
  expect(filesWithSecret()).toEqual([]); // while the service has the files open
  await testHome.close(fairlead);
  expect(filesWithSecret()).toEqual([]);
});

it("leaves no outcome behind if the process is killed while it forgets, and forgets the rest later", async () => {
  const fairlead = await testHome.open();
  const session = await runSecretTurn(fairlead, "forgotten");
  await fairlead.stop(session);
  // While another process holds the lock of the journal, the removal stops before its last step.
  const lock = new DatabaseSync(testHome.home.journalFile);
  lock.exec("BEGIN IMMEDIATE");
  const forgetting = fairlead.forget(session, { key: "forget" });
  await vi.waitUntil(() => !existsSync(testHome.home.sessionFolder(session)), 10_000);
  const killed = join(testHome.folder, "k"); // what a killed process would leave on disk
  cpSync(testHome.home.folder, killed, { recursive: true });
  lock.exec("ROLLBACK");
  lock.close();
  await forgetting;

  expect(filesWithSecret(killed).map((file) => basename(file))).toEqual(["index.db-wal", "journal.db-wal"]);
  await using next = await LocalFairlead.open({ home: new Home(killed), adapters });
  expect((await next.sessions()).sessions.map(({ state }) => state)).toEqual(["ended"]);
  await next.forget(session, { key: "forget" }); // the same command, sent again
  expect((await next.sessions()).sessions).toEqual([]);
  expect(filesWithSecret(killed)).toEqual([]);
});

it("rejects an open session and leaves other sessions usable, also after a restart", async () => {
  const fairlead = await testHome.open();
  const [ended, paused, idle, forgotten] = await Promise.all(
    ["ended", "paused", "idle", "forgotten"].map((name) => runSecretTurn(fairlead, name)),
  );
  if (!ended || !paused || !idle || !forgotten) throw new Error("Expected four sessions.");
  await fairlead.pause(paused);
  for (const session of [ended, forgotten]) await fairlead.stop(session);
  for (const session of [paused, idle]) {
    await expect(fairlead.forget(session)).rejects.toMatchObject({ code: "conflict" });
  }
  // A comparison of the workspace may record files at any time.
  const readEvents = async (service: LocalFairlead): Promise<unknown[]> =>
    await Promise.all(
      [ended, paused, idle].map(async (session) => {
        const events = await Array.fromAsync(service.events(session));
        return events.filter((one) => !("body" in one) || one.body.type !== "file.changed");
      }),
    );
  const before = await readEvents(fairlead);
  await fairlead.forget(forgotten);
  expect(await readEvents(fairlead)).toEqual(before);
  expect(filesWithSecret()).not.toEqual([]);
  await testHome.close(fairlead);

  const next = await testHome.open();
  expect((await next.recovery).failures).toEqual([]);
  expect((await next.sessions()).sessions.map(({ name }) => name ?? "").toSorted()).toEqual([
    "ended",
    "idle",
    "paused",
  ]);
  expect(await readEvents(next)).toEqual(before);
  for (const session of [paused, idle]) {
    const { last } = await next.session(session);
    await next.send(session, script);
    expect((await collectEventsUntil(next, session, "turn.ended", last)).length).toBeGreaterThan(2);
  }
});
