import { once } from "node:events";
import type { Engine, Ticket } from "@fairlead/engine";
import { endKeeper } from "@fairlead/keeper";
import { idFromKey } from "@fairlead/runtime";
import { scopeKey } from "@fairlead/service";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { followTurns, hello, MovableFleet } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";
import { hostAddress, moveMethod } from "./host-address.ts";
import { StartJob, startJobKind } from "./start-job.ts";

const caller = { id: "t", label: "test" };

/** Moves a session from one host to another one. */
async function move(bench: FleetBench, host: string, session: string): Promise<void> {
  await using engine = await bench.openEngine("checker");
  const call = { method: moveMethod, params: { session } };
  expect(await engine.bus.call(hostAddress(host), call, AbortSignal.timeout(60_000))).toBe("moved");
}

test("a fork that is repeated with its key gives the same session, after the forked session has moved", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await fleet.openHost("two");
  const other = await bench.openGateway();
  const fork = { name: "copy", outcome: "rebuilt" } as const;
  const first = await gateway.fork(session, fork, { key: "fork", caller });
  await expect(other.fork(session, { ...fork, name: "x" }, { key: "fork", caller })).rejects.toMatchObject({
    code: "conflict",
  });
  await move(bench, "one", session);
  const again = await other.fork(session, fork, { key: "fork", caller });
  expect(again).toMatchObject({ session: first.session, name: "copy", state: "idle" });
  // The key of another caller is another key.
  const second = await other.fork(session, { outcome: "rebuilt" }, { key: "fork" });
  expect(second.session).not.toBe(first.session);
  expect((await other.sessions()).sessions).toHaveLength(3);
});

test("a fork of an ended session that is repeated with its key is found without the host of that session", async () => {
  await using fleet = await MovableFleet.start({ moving: "rebuilt" });
  const { gateway, session, bench } = fleet;
  const [one] = fleet.hosts;
  await fleet.openHost("two");
  const first = await gateway.fork(session, { outcome: "rebuilt" }, { key: "fork", caller });
  const continuing = await gateway.resume(session, { outcome: "rebuilt" }, { key: "resume", caller });
  expect((await gateway.session(session)).state).toBe("ended");
  for (const started of [first, continuing]) await move(bench, "one", started.session);
  await one?.close();
  const other = await bench.openGateway({ patience: 0 });
  expect((await other.fork(session, { outcome: "rebuilt" }, { key: "fork", caller })).session).toBe(first.session);
  expect((await other.resume(session, { outcome: "rebuilt" }, { key: "resume", caller })).session).toBe(
    continuing.session,
  );
  await other.send(first.session, hello);
  // A key that was used for something else continues nothing.
  await expect(other.resume(session, { outcome: "rebuilt" }, { key: "fork", caller })).rejects.toMatchObject({
    code: "unavailable",
  });
});

const started = idFromKey(scopeKey("start", caller));

test("a start whose host was lost after its claim is done by another host", async () => {
  await using bench = await FleetBench.start();
  await using engine = await bench.openEngine("checker");
  await engine.log.claim(started, JSON.stringify({ host: "gone", instance: "0123456789abcdef", pool: "default" }));
  const gateway = await bench.openGateway();
  await bench.openHost("one");
  const request = { agent: "scripted", workspace: bench.workspace, prompt: hello };
  for (const other of [gateway, await bench.openGateway()])
    expect((await other.start(request, { key: "start", caller })).session).toBe(started);
  await followTurns(gateway, started, 1);
});

test("a start whose host was lost before it wrote a row gives the session, which moves", async () => {
  await using bench = await FleetBench.start();
  const gateway = await bench.openGateway();
  await using engine = await bench.openEngine("one");
  const one = await bench.openHost("one", { engine: loseOutcomes(engine) });
  const request = { agent: "scripted", workspace: bench.workspace, prompt: hello, moving: "rebuilt" } as const;
  const starting = gateway.start(request, { key: "start", caller });
  starting.catch(() => {});
  await expect.poll(async () => (await engine.log.tail(started)).last, { timeout: 30_000 }).toBeGreaterThan(0);
  await one.close();
  await endKeeper(one.home.sessionFolder(started));
  await bench.expireHosts();
  expect(await gateway.session(started)).toMatchObject({ session: started, state: "lost", agent: "scripted" });
  await bench.openHost("two");
  expect((await starting).session).toBe(started);
  await followTurns(gateway, started, 1);
  const again = await bench.openGateway();
  expect((await again.start(request, { key: "start", caller })).session).toBe(started);
});

test("a start whose session has moved before its prompt was sent sends it once to the host that has it", async () => {
  await using bench = await FleetBench.start();
  const gateway = await bench.openGateway();
  await using engine = await bench.openEngine("one");
  const one = await bench.openHost("one", { engine: dieBeforePrompt(engine) });
  const request = { agent: "scripted", workspace: bench.workspace, prompt: hello, moving: "rebuilt" } as const;
  const starting = gateway.start(request, { key: "start", caller });
  starting.catch(() => {});
  await expect.poll(async () => (await engine.log.tail(started)).last, { timeout: 30_000 }).toBeGreaterThan(0);
  await one.close();
  await endKeeper(one.home.sessionFolder(started));
  await bench.expireHosts();
  await using engineTwo = await bench.openEngine("two");
  await bench.openHost("two", { engine: leaveStarts(engineTwo) });
  const ownerOf = async (): Promise<string> => (await engineTwo.log.tail(started)).owner;
  // It has no row, so that only a question for it moves it.
  expect(await gateway.session(started)).toMatchObject({ session: started });
  await expect.poll(ownerOf, { timeout: 30_000 }).toContain('"two"');
  await bench.openHost("three");
  expect((await starting).session).toBe(started);
  await followTurns(gateway, started, 1);
  const other = await bench.openGateway();
  expect((await other.start(request, { key: "start", caller })).session).toBe(started);
  await other.send(started, hello, { key: "second" });
  const events = await followTurns(other, started, 2);
  expect(events.filter(({ body }) => body.type === "turn.started")).toHaveLength(2);
  expect(await ownerOf()).toContain('"two"');
});

/** An engine that takes one start, without its prompt and without an outcome, as if the process died in between. */
function dieBeforePrompt(engine: Engine): Engine {
  const { queue } = loseOutcomes(engine);
  return {
    ...engine,
    queue: {
      put: (...values) => queue.put(...values),
      async *take(pool, signal) {
        for await (const ticket of queue.take(pool, signal)) {
          const { prompt: _, ...request } = StartJob.parse(ticket.job.params).request;
          yield { ...ticket, job: { ...ticket.job, params: { ...StartJob.parse(ticket.job.params), request } } };
          await once(signal, "abort");
          return;
        }
      },
    },
  };
}

/** An engine that takes one move, and leaves starts to others after it. */
function leaveStarts(engine: Engine): Engine {
  return {
    ...engine,
    queue: {
      put: (...values) => engine.queue.put(...values),
      async *take(pool, signal) {
        await using starts = new AsyncDisposableStack();
        for await (const ticket of engine.queue.take(pool, signal)) {
          if (ticket.job.kind === startJobKind) starts.use(ticket);
          else return yield ticket;
        }
      },
    },
  };
}

/** An engine that stores no rows and no outcomes of jobs, as if the process died before. */
function loseOutcomes(engine: Engine): Engine {
  const done = (): Promise<void> => Promise.reject(new Error("The process has ended."));
  const lose = (ticket: Ticket): Ticket => ({
    ...ticket,
    job: ticket.job,
    key: ticket.key,
    attempt: ticket.attempt,
    lease: ticket.lease,
    extend: () => ticket.extend(),
    done,
    [Symbol.asyncDispose]: () => ticket[Symbol.asyncDispose](),
  });
  const queue: Engine["queue"] = {
    put: (...values) => engine.queue.put(...values),
    async *take(pool, signal) {
      for await (const ticket of engine.queue.take(pool, signal)) yield lose(ticket);
    },
  };
  const index = new Proxy(engine.index, {
    get: (target, name) => {
      if (name === "put") return async () => true;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...engine, queue, index };
}
