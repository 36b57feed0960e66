import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { FairleadError, lawful, type ErrorCode } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test, vi } from "vitest";
import { eventsUntil, Ground } from "./ground-for-test.ts";

const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 250 }]);
const hello = withScript("Say.", [{ text: "Hello." }]);
const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

interface Told {
  readonly session: string;
  readonly turn: string;
}

/** A service in a process of its own, which begins so many turns. */
function serve(ground: Ground, count: number): ChildProcessByStdio<null, Readable, null> {
  const program = fileURLToPath(new URL("service-for-test.ts", import.meta.url));
  return spawn(process.execPath, [program, ground.home.folder, ground.folder, String(count), slow], {
    env: ground.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Has a service begin so many turns, and kills it in the middle of all of them. */
async function killedMidTurn(ground: Ground, count: number): Promise<Told[]> {
  const child = serve(ground, count);
  const told: Told[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(JSON.parse(line) as Told);
    if (told.length === count) break;
  }
  await kill(child);
  return told;
}

/** Makes the receipts look as they do when a service is killed after the deed and before it has written down the result. */
function forgetOutcomes(ground: Ground): void {
  using receipts = new DatabaseSync(join(ground.home.folder, "receipts.db"));
  receipts.exec("UPDATE receipts SET outcome = NULL");
}

describe("a service that is killed", () => {
  test("is followed by one that takes up every session by itself, and nothing is lost or doubled", async () => {
    await using ground = new Ground();
    const told = await killedMidTurn(ground, 5);
    const fairlead = await ground.open();
    const { sessions, failures } = await fairlead.recovered;
    expect({ sessions, failures }).toEqual({ sessions: 5, failures: [] });
    for (const { session, turn } of told) {
      const events = await eventsUntil(fairlead, session, "turn.ended");
      expect(lawful(events)).toEqual([]);
      expect(events.at(-1)).toMatchObject({ turn, body: { outcome: "completed" } });
      expect(events.filter(({ body }) => body.type === "text.ended")).toHaveLength(1);
    }
  });

  test("leaves a spare keeper behind, which the next one ends", async () => {
    await using ground = new Ground();
    const child = serve(ground, 0);
    const folder = join(ground.home.folder, "spares");
    const spares = () => (existsSync(folder) ? readdirSync(folder) : []);
    await vi.waitUntil(() => spares().some((name) => existsSync(join(folder, name, "keeper.json"))), 10_000);
    await kill(child);
    const [orphan = ""] = spares();
    const { pid } = JSON.parse(readFileSync(join(folder, orphan, "keeper.json"), "utf8")) as { pid: number };
    const isAlive = () => existsSync(`/proc/${pid}`);
    expect(isAlive()).toBe(true);
    await ground.open();
    await vi.waitUntil(() => !isAlive() && !spares().includes(orphan), 10_000);
  });

  test("had done a command, and its key repeated with the next one is the same turn, not a second", async () => {
    await using ground = new Ground();
    const [told] = await killedMidTurn(ground, 1);
    forgetOutcomes(ground);
    const fairlead = await ground.open();
    const started = await fairlead.start({ workspace: ground.folder, name: "s0" }, { key: "start-0" });
    expect(started.session).toBe(told!.session);
    expect(await fairlead.send(told!.session, slow, { key: "say-0" })).toEqual({ turn: told!.turn });
    await eventsUntil(fairlead, told!.session, "turn.ended");
    expect(await fairlead.session(told!.session)).toMatchObject({ state: "idle", turns: 1 });
    expect(await fairlead.sessions()).toHaveLength(1);
  });
});

describe("a key whose outcome nobody has written down", () => {
  test("of a wish that was refused is refused again, though it could be granted now", async () => {
    await using ground = new Ground();
    const first = await ground.open();
    const { session } = await first.start({ workspace: ground.folder });
    const interrupt = first.interrupt(session, { key: "stop-it" });
    await expect(interrupt).rejects.toSatisfy(withCode("no-open-turn"));
    await ground.close(first);
    forgetOutcomes(ground);
    const second = await ground.open();
    await second.send(session, slow);
    await eventsUntil(second, session, "turn.started");
    await expect(second.interrupt(session, { key: "stop-it" })).rejects.toSatisfy(withCode("no-open-turn"));
  });

  test("is found in the record of a session that has ended since; without the record it is indeterminate", async () => {
    await using ground = new Ground();
    const first = await ground.open();
    const { session } = await first.start({ workspace: ground.folder });
    const { turn } = await first.send(session, hello, { key: "hello" });
    await eventsUntil(first, session, "turn.ended");
    await first.stop(session);
    await ground.close(first);

    forgetOutcomes(ground);
    const second = await ground.open();
    expect(await second.send(session, hello, { key: "hello" })).toEqual({ turn });
    expect(await second.session(session)).toMatchObject({ state: "ended", turns: 1 });
    await ground.close(second);

    forgetOutcomes(ground);
    rmSync(join(ground.home.session(session), "spool"), { recursive: true });
    const third = await ground.open();
    await expect(third.send(session, hello, { key: "hello" })).rejects.toSatisfy(withCode("indeterminate"));
    await expect(third.send(session, "Other.", { key: "hello" })).rejects.toSatisfy(withCode("conflict"));
  });
});

test("a key that is sent twice at once is one turn", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  const order = { workspace: ground.folder, prompt: hello };
  const [one, other] = await Promise.all([fairlead.start(order, { key: "k" }), fairlead.start(order, { key: "k" })]);
  expect(one).toEqual(other);
  expect(await fairlead.start({ prompt: hello, workspace: ground.folder }, { key: "k" })).toEqual(one);
  await eventsUntil(fairlead, one.session, "turn.ended");
  expect(await fairlead.sessions()).toMatchObject([{ turns: 1 }]);
  await expect(fairlead.start({ ...order, mode: "plan" }, { key: "k" })).rejects.toSatisfy(withCode("conflict"));
});
