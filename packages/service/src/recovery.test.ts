import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { FairleadError, findViolations, type ErrorCode } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test, vi } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 250 }]);
const hello = withScript("Say.", [{ text: "Hello." }]);
const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

interface StartedTurn {
  readonly session: string;
  readonly turn: string;
}

/** Starts a service in another process, which starts `count` turns. */
function spawnService(testHome: ServiceTestHome, count: number): ChildProcessByStdio<null, Readable, null> {
  const program = fileURLToPath(new URL("../../testing/src/service/service-process.ts", import.meta.url));
  return spawn(process.execPath, [program, testHome.home.folder, testHome.folder, String(count), slow], {
    env: testHome.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Starts a service with `count` turns and kills it while all of them run. */
async function killServiceMidTurn(testHome: ServiceTestHome, count: number): Promise<StartedTurn[]> {
  const child = spawnService(testHome, count);
  const turns: StartedTurn[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    turns.push(JSON.parse(line) as StartedTurn);
    if (turns.length === count) break;
  }
  await kill(child);
  return turns;
}

/** Erases the stored outcomes, as if the service had been killed after it executed the commands and before it stored them. */
function clearOutcomes(testHome: ServiceTestHome): void {
  using database = new DatabaseSync(testHome.home.idempotencyFile);
  database.exec("UPDATE receipts SET outcome = NULL");
}

describe("after a service was killed", () => {
  test("the next service attaches to every session and neither loses nor repeats events", async () => {
    await using testHome = new ServiceTestHome();
    const turns = await killServiceMidTurn(testHome, 5);
    const fairlead = await testHome.open();
    const { sessions, failures } = await fairlead.recovery;
    expect({ sessions, failures }).toEqual({ sessions: 5, failures: [] });
    // The killed service did not close the journal, so the health report has a verdict on it.
    expect((await fairlead.health()).journal.verdict).toMatch(/^(intact|unfinished)$/);
    for (const { session, turn } of turns) {
      const events = await collectEventsUntil(fairlead, session, "turn.ended");
      expect(findViolations(events)).toEqual([]);
      expect(events.at(-1)).toMatchObject({ turn, body: { outcome: "completed" } });
      expect(events.filter(({ body }) => body.type === "text.ended")).toHaveLength(1);
    }
  });

  test("the next service ends its spare keeper", async () => {
    await using testHome = new ServiceTestHome();
    const child = spawnService(testHome, 0);
    const folder = testHome.home.sparesFolder;
    const spares = () => (existsSync(folder) ? readdirSync(folder) : []);
    await vi.waitUntil(() => spares().some((name) => existsSync(join(folder, name, "keeper.json"))), 10_000);
    await kill(child);
    const [orphan = ""] = spares();
    const { pid } = JSON.parse(readFileSync(join(folder, orphan, "keeper.json"), "utf8")) as { pid: number };
    const isAlive = () => existsSync(`/proc/${pid}`);
    expect(isAlive()).toBe(true);
    await testHome.open();
    await vi.waitUntil(() => !isAlive() && !spares().includes(orphan), 10_000);
  });

  test("a repeated key returns the turn of the first service instead of a second turn", async () => {
    await using testHome = new ServiceTestHome();
    const [turn] = await killServiceMidTurn(testHome, 1);
    clearOutcomes(testHome);
    const fairlead = await testHome.open();
    const started = await fairlead.start({ workspace: testHome.folder, name: "s0" }, { key: "start-0" });
    expect(started.session).toBe(turn!.session);
    expect(await fairlead.send(turn!.session, slow, { key: "send-0" })).toEqual({ turn: turn!.turn });
    await collectEventsUntil(fairlead, turn!.session, "turn.ended");
    expect(await fairlead.session(turn!.session)).toMatchObject({ state: "idle", turns: 1 });
    expect((await fairlead.sessions()).sessions).toHaveLength(1);
  });
});

describe("a key without a stored outcome", () => {
  test("repeats the rejection of the first attempt, even if the command would succeed now", async () => {
    await using testHome = new ServiceTestHome();
    const first = await testHome.open();
    const { session } = await first.start({ workspace: testHome.folder });
    const interrupt = first.interrupt(session, { key: "stop-it" });
    await expect(interrupt).rejects.toSatisfy(withCode("no-open-turn"));
    await testHome.close(first);
    clearOutcomes(testHome);
    const second = await testHome.open();
    await second.send(session, slow);
    await collectEventsUntil(second, session, "turn.started");
    await expect(second.interrupt(session, { key: "stop-it" })).rejects.toSatisfy(withCode("no-open-turn"));
  });

  test("names the turn that the first attempt interrupted, also if another one has started since", async () => {
    await using testHome = new ServiceTestHome();
    const first = await testHome.open();
    const { session } = await first.start({ workspace: testHome.folder });
    const { turn } = await first.send(session, slow);
    await collectEventsUntil(first, session, "turn.started");
    expect(await first.interrupt(session, { key: "stop-it" })).toEqual({ turn });
    await collectEventsUntil(first, session, "turn.ended");
    const { turn: next } = await first.send(session, hello);
    await testHome.close(first);
    clearOutcomes(testHome);
    const second = await testHome.open();
    expect(next).not.toBe(turn);
    expect(await second.interrupt(session, { key: "stop-it" })).toEqual({ turn });
  });

  test("gets its outcome from the spool of an ended session, and is indeterminate without the spool", async () => {
    await using testHome = new ServiceTestHome();
    const first = await testHome.open();
    const { session } = await first.start({ workspace: testHome.folder });
    const { turn } = await first.send(session, hello, { key: "hello" });
    await collectEventsUntil(first, session, "turn.ended");
    await first.stop(session);
    await testHome.close(first);

    clearOutcomes(testHome);
    const second = await testHome.open();
    expect(await second.send(session, hello, { key: "hello" })).toEqual({ turn });
    expect(await second.session(session)).toMatchObject({ state: "ended", turns: 1 });
    await testHome.close(second);

    clearOutcomes(testHome);
    rmSync(join(testHome.home.sessionFolder(session), "spool"), { recursive: true });
    const third = await testHome.open();
    await expect(third.send(session, hello, { key: "hello" })).rejects.toSatisfy(withCode("indeterminate"));
    await expect(third.send(session, "Other.", { key: "hello" })).rejects.toSatisfy(withCode("conflict"));
  });
});

test("executes two concurrent commands with the same key once", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const request = { workspace: testHome.folder, prompt: hello };
  const [first, second] = await Promise.all([
    fairlead.start(request, { key: "k" }),
    fairlead.start(request, { key: "k" }),
  ]);
  expect(first).toEqual(second);
  expect(await fairlead.start({ prompt: hello, workspace: testHome.folder }, { key: "k" })).toEqual(first);
  await collectEventsUntil(fairlead, first.session, "turn.ended");
  expect((await fairlead.sessions()).sessions).toMatchObject([{ turns: 1 }]);
  await expect(fairlead.start({ ...request, mode: "plan" }, { key: "k" })).rejects.toSatisfy(withCode("conflict"));
});
