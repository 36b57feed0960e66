import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { hostOf, type Engine } from "@fairlead/engine";
import { followTurns, hello, MovableFleet } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";

test("a host that has given a session away does not take it back from the one that has it", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  await fleet.openHost("two");
  const [one] = fleet.hosts;
  expect(await one?.host.drain()).toMatchObject({ moved: [session] });
  const { epoch } = await fleet.tail();
  await expect(one?.host.fairlead.stay(session)).rejects.toMatchObject({ code: "fenced" });
  await expect(one?.host.fairlead.send(session, hello)).rejects.toMatchObject({ code: "fenced" });
  await expect(one?.host.fairlead.stop(session)).rejects.toMatchObject({ code: "fenced" });
  expect((await fleet.tail()).epoch).toBe(epoch);
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a host that comes back neither lists nor recovers a session that another host had, also if that is lost now", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session } = fleet;
  await fleet.loseHost();
  const two = await fleet.openHost("two");
  await gateway.send(session, hello);
  await followTurns(gateway, session, 2);
  await two.close();
  await fleet.bench.expireHosts();
  const { epoch } = await fleet.tail();
  // It takes no work, so that it has the session only if it recovers it.
  await using engine = await fleet.bench.openEngine("one");
  const taking = { ...engine, queue: new Proxy(engine.queue, { get: takeNothing }) };
  const { host } = await fleet.openHost("one", { engine: taking });
  expect(await host.fairlead.recovery).toEqual({ sessions: 0, failures: [] });
  expect((await host.fairlead.sessions()).sessions).toEqual([]);
  expect((await fleet.tail()).epoch).toBe(epoch);
});

test.each([
  ["whose object store fails", failReads],
  ["whose disk cannot take the memory", null],
])("a host %s leaves a session to others, unchanged", async (_, change) => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  const [memory = ""] = readdirSync(join(fleet.stateOf("one"), "fairlead-scripted"));
  if (change === null)
    mkdirSync(join(fleet.stateOf("two"), "fairlead-scripted", `${memory}.restoring`), { recursive: true });
  await using engine = await bench.openEngine("two");
  const two = await fleet.openHost("two", change === null ? {} : { engine: change(engine) });
  await fleet.loseHost();
  await expect(two.host.fairlead.arrive(session)).rejects.toThrow();
  expect(await fleet.tail()).toMatchObject({ epoch: 1 });
  await two.host[Symbol.asyncDispose]();
  await fleet.openHost("three");
  await gateway.send(session, hello);
  const events = await followTurns(gateway, session, 2);
  expect(events.findLast(({ body }) => body.type === "session.resumed")?.body).toMatchObject({ outcome: "native" });
});

test("a drain does not end sessions that cannot continue elsewhere", async () => {
  await using fleet = await MovableFleet.start({ moving: "never" });
  const { gateway, session } = fleet;
  await fleet.openHost("two");
  const [one] = fleet.hosts;
  const { left, moved } = (await one?.host.drain()) ?? {};
  expect(moved).toEqual([]);
  expect(left).toEqual([{ session, reason: expect.stringContaining("was started not to move") }]);
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a drain right after a restart moves the sessions that are still being recovered", async () => {
  await using fleet = await MovableFleet.start();
  const { session } = fleet;
  await fleet.openHost("two");
  await fleet.hosts[0]?.close();
  const { host } = await fleet.openHost("one");
  expect(await host.drain()).toEqual({ moved: [session], ended: [], left: [] });
});

test("a session that cannot be stored for others continues where it is", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await using engine = await bench.openEngine("two");
  let isFull = false;
  const two = await fleet.openHost("two", { engine: failWrites(engine, () => isFull) });
  const [one] = fleet.hosts;
  expect(await one?.host.drain()).toMatchObject({ moved: [session] });
  isFull = true;
  const reason = "The store is full.";
  expect(await two.host.drain()).toEqual({ moved: [], ended: [], left: [{ session, reason }] });
  expect(two.host.sessionCount).toBe(1);
  const isIdle = async (): Promise<boolean> => (await two.host.fairlead.session(session)).state === "idle";
  await expect.poll(isIdle, { timeout: 30_000 }).toBe(true);
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
  expect(hostOf((await fleet.tail()).owner)).toBe("two");
});

test("an arrival that did not end is repeated when a client needs the session", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await fleet.loseHost();
  await using engine = await bench.openEngine("two");
  // As after a crash between the claim and the folder.
  await fleet.openHost("two", { engine: { ...engine, queue: new Proxy(engine.queue, { get: takeNothing }) } });
  await engine.log.claim(session, await findOwner(engine, "two"));
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a claim that is stored without an answer counts", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await fleet.loseHost();
  await using engine = await bench.openEngine("two");
  const two = await fleet.openHost("two", { engine: loseAnswers(engine, 0) });
  // Another look of the gateway would find an owner that is alive.
  expect(await two.host.fairlead.arrive(session)).toBe("arrived");
  expect(await fleet.tail()).toMatchObject({ epoch: 2 });
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a host repeats an arrival that failed after its claim was stored, without a command", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await fleet.loseHost();
  await using engine = await bench.openEngine("two");
  // Also the first attempt to repeat it finds no servers.
  const two = await fleet.openHost("two", { engine: loseAnswers(engine, 3) });
  await expect(two.host.fairlead.arrive(session)).rejects.toMatchObject({ code: "unavailable" });
  expect(hostOf((await fleet.tail()).owner)).toBe("two");
  await expect.poll(() => two.host.sessionCount, { timeout: 30_000 }).toBe(1);
  await gateway.send(session, hello);
  const events = await followTurns(gateway, session, 2);
  expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
  expect(events.flatMap(({ body }) => (body.type === "session.paused" ? [body.reason] : []))).toEqual(["moved"]);
});

async function findOwner({ hosts }: Engine, host: string): Promise<string> {
  for await (const { owner } of hosts.watch(AbortSignal.timeout(10_000))) if (hostOf(owner) === host) return owner;
  throw new Error(`There is no host ${host}.`);
}

/** Makes a queue that gives its host no work. */
function takeNothing(target: Engine["queue"], name: keyof Engine["queue"]): unknown {
  if (name !== "take") return (target[name] as () => unknown).bind(target);
  return async function* (_pool: string, signal: AbortSignal) {
    await once(signal, "abort");
    yield* [];
  };
}

/** An engine whose object store can be full. */
function failWrites(engine: Engine, isFull: () => boolean): Engine {
  const { objects } = engine;
  const failing = new Proxy(objects, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => {
        if (name === "put" && isFull()) throw new FairleadError("unavailable", "The store is full.");
        return (value as (...values: unknown[]) => unknown).apply(target, values);
      };
    },
  });
  return { ...engine, objects: failing };
}

/** An engine whose object store loses its servers when a large object is read. */
function failReads(engine: Engine): Engine {
  const { objects } = engine;
  const failing = new Proxy(objects, {
    get: (target, name) => {
      if (name === "get")
        return async (key: string) => {
          const bytes = await target.get(key);
          if (key.startsWith("memory/")) throw new FairleadError("unavailable", "The servers are gone.");
          return bytes;
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...engine, objects: failing };
}

/**
 * An engine that gets no work, and whose log loses the answer to the first claim. No server answers so many questions for the end
 * of a session after it.
 */
function loseAnswers(engine: Engine, unanswered: number): Engine {
  const unavailable = (): never => {
    throw new FairleadError("unavailable", "No server answers.");
  };
  let left: number | null = null;
  const log = new Proxy(engine.log, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => {
        if (name === "tail" && left !== null && left > 0) {
          left -= 1;
          return Promise.resolve().then(unavailable);
        }
        const result: unknown = (value as (...values: unknown[]) => unknown).apply(target, values);
        if (name !== "append" || left !== null) return result;
        left = unanswered;
        return (result as Promise<unknown>).then(unavailable);
      };
    },
  });
  return { ...engine, log, queue: new Proxy(engine.queue, { get: takeNothing }) };
}
