import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError, storedEventVersion, type AgentEvent } from "@fairlead/contract";
import { openLocalEngine, type Engine } from "@fairlead/engine";
import { createEvents } from "@fairlead/testing/cli/create-events.ts";
import { expect, onTestFinished, test } from "vitest";
import { forgetLost } from "./forget-lost.ts";

const lost = new FairleadError("unavailable", "No host has it.");

const ended: AgentEvent = { type: "session.ended", reason: "stopped", exit: null };

/** An engine with a session that has one event. */
async function openEngine(body: AgentEvent, isAlive = false): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "forget-"));
  const engine = await openLocalEngine({
    journalFile: join(folder, "journal.db"),
    indexFile: join(folder, "index.db"),
    indexContentVersion: 1,
    tokensFile: join(folder, "tokens.json"),
    objectsFolder: join(folder, "objects"),
  });
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const { epoch, fence } = await engine.log.claim("s", "one");
  const events = createEvents(body).map((event) => Buffer.from(JSON.stringify({ v: storedEventVersion, ...event })));
  await engine.log.append({ session: "s", epoch, first: 1, events, owner: "one" }, fence);
  return { ...engine, hosts: { isAlive: async () => isAlive } as never };
}

test("leaves a session to its host as long as that is alive", async () => {
  const engine = await openEngine(ended, true);
  await expect(forgetLost(engine, "s", { hostError: lost, joinedHosts: [] })).rejects.toBe(lost);
  expect((await engine.log.tail("s")).last).toBe(1);
});

test("leaves a session to the next process of its host, which has not claimed it", async () => {
  const engine = await openEngine(ended);
  const owner = JSON.stringify({ host: "h1", instance: "0123456789abcdef" });
  await engine.log.claim("s", owner);
  const hosts = { hostError: lost, joinedHosts: ["h1"] };
  await expect(forgetLost(engine, "s", hosts)).rejects.toBe(lost);
  expect((await engine.log.tail("s")).last).toBe(1);
  await forgetLost(engine, "s", { ...hosts, joinedHosts: ["h2"] });
});

test("removes no session that has not ended", async () => {
  const engine = await openEngine({ type: "session.paused", reason: "asked" });
  await expect(forgetLost(engine, "s", { hostError: lost, joinedHosts: [] })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await engine.log.tail("s")).last).toBe(1);
});

test("leaves a session to its host if that comes back meanwhile", async () => {
  const engine = await openEngine(ended);
  const { log } = engine;
  const objects = new Proxy(engine.objects, {
    get: (target, name) => {
      if (name === "list")
        return async function* () {
          await log.claim("s", "one again");
          yield* [];
        };
      return Reflect.get(target, name, target) as unknown;
    },
  });
  await expect(forgetLost({ ...engine, objects }, "s", { hostError: lost, joinedHosts: [] })).rejects.toMatchObject({
    code: "fenced",
  });
  expect(await log.tail("s")).toMatchObject({ last: 1, owner: "one again" });
});
