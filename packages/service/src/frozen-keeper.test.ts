import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withScript } from "@fairlead/kit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { leaveSessionsRunning } from "@fairlead/testing/service/leave-sessions-running.ts";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import type { LocalFairlead } from "./local-fairlead.ts";

const slow = withScript("Count.", [{ text: "one two three four", chunks: 4, chunkDelay: 500 }]);
const hello = withScript("Say.", [{ text: "Hello." }]);

let testHome: ServiceTestHome;
beforeEach(() => void (testHome = new ServiceTestHome()));
afterEach(() => testHome[Symbol.asyncDispose](), 60_000);

/** Suspends the keeper of a session, and returns its process id. */
function freezeKeeper(session: string): number {
  const file = join(testHome.home.sessionFolder(session), "keeper.json");
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
  process.kill(pid, "SIGSTOP");
  return pid;
}

const endedByForce = {
  type: "error.raised",
  category: "timed-out",
  message: "Fairlead ended the session by force, because its keeper did not respond.",
};

async function collectErrors(fairlead: LocalFairlead, session: string): Promise<unknown[]> {
  const events = await Array.fromAsync(fairlead.events(session));
  return events.flatMap((one) => ("body" in one && one.body.type === "error.raised" ? [one.body] : []));
}

/** A process that has ended stays in the table until its parent has read that: it is a zombie. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

test(
  "a keeper that does not respond delays only its own session, and the session can be stopped",
  { timeout: 120_000 },
  async () => {
    const [frozen = "", healthy = ""] = await leaveSessionsRunning(testHome, 2, slow);
    const pid = freezeKeeper(frozen);
    vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "15000");
    const fairlead = await testHome.open();
    const isHealthyDone = (async () => {
      await collectEventsUntil(fairlead, healthy, "turn.ended");
      const { last } = await fairlead.session(healthy);
      await fairlead.send(healthy, hello);
      await collectEventsUntil(fairlead, healthy, "turn.ended", last);
      return "healthy";
    })();
    // The recovery waits for the frozen keeper.
    expect(await Promise.race([isHealthyDone, fairlead.recovery.then(() => "recovered")])).toBe("healthy");
    expect((await fairlead.recovery).failures).toMatchObject([{ session: frozen, error: { code: "unavailable" } }]);
    expect(await fairlead.session(frozen)).toMatchObject({
      problem: expect.stringContaining("does not respond"),
    });
    vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "1000");
    await expect(fairlead.send(frozen, hello)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("does not respond"),
    });
    expect(await fairlead.stop(frozen)).toMatchObject({ state: "ended", reason: "lost", problem: null });
    expect(isRunning(pid)).toBe(false);
    expect(await collectErrors(fairlead, frozen)).toEqual([endedByForce]);
    await fairlead.forget(frozen);
    expect((await fairlead.sessions()).sessions.map(({ session }) => session)).toEqual([healthy]);
  },
);

test(
  "a session whose keeper is suspended while it is driven ends by force, and its events say so",
  {
    timeout: 120_000,
  },
  async () => {
    vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "2000");
    const fairlead = await testHome.open();
    const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
    await collectEventsUntil(fairlead, session, "turn.ended");
    freezeKeeper(session);
    expect(await fairlead.stop(session)).toMatchObject({ state: "ended", reason: "lost", problem: null });
    expect(await collectErrors(fairlead, session)).toEqual([endedByForce]);
  },
);

test("a session continues when its keeper responds again", { timeout: 120_000 }, async () => {
  const [session = ""] = await leaveSessionsRunning(testHome, 1, slow);
  const pid = freezeKeeper(session);
  vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "500");
  const fairlead = await testHome.open();
  expect((await fairlead.recovery).failures).toHaveLength(1);
  vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "15000");
  process.kill(pid, "SIGCONT");
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
  expect(await fairlead.session(session)).toMatchObject({ state: "idle", problem: null });
});

test(
  "a message whose keeper stops responding may be delivered: the error says so, and the same key runs it once",
  {
    timeout: 120_000,
  },
  async () => {
    const fairlead = await testHome.open();
    const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
    await collectEventsUntil(fairlead, session, "turn.ended");
    await fairlead.pause(session);
    vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "2000");
    await fairlead.resume(session);
    const { last } = await fairlead.session(session);
    const pid = freezeKeeper(session);
    const unknown = `It is unknown whether the message was delivered. See fairlead logs ${session} before you send it again.`;
    await expect(fairlead.send(session, hello, { key: "one" })).rejects.toMatchObject({
      code: "indeterminate",
      message: expect.stringContaining(unknown),
    });
    // It was not written to the keeper, which does not accept the attach.
    await expect(fairlead.send(session, hello)).rejects.toMatchObject({ code: "unavailable" });
    vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "15000");
    process.kill(pid, "SIGCONT");
    await fairlead.send(session, hello, { key: "one" });
    await collectEventsUntil(fairlead, session, "turn.ended", last);
    await fairlead.stop(session);
    const events = await Array.fromAsync(fairlead.events(session, { after: last }));
    expect(events.filter((one) => "body" in one && one.body.type === "turn.started")).toHaveLength(1);
  },
);

test("a service with a keeper that does not respond closes without waiting for it", { timeout: 120_000 }, async () => {
  vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "600000");
  const [recovering = ""] = await leaveSessionsRunning(testHome, 1, slow);
  const first = await testHome.open();
  const { session: driven } = await first.start({ workspace: testHome.folder, prompt: slow });
  const pids = [freezeKeeper(driven), freezeKeeper(recovering)];
  await testHome.close(first);
  const second = await testHome.open(); // its recovery waits
  await testHome.close(second);
  for (const pid of pids) process.kill(pid, "SIGCONT");
});
