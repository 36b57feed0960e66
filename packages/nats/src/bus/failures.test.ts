import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BusCall } from "@fairlead/engine";
import { NatsBusBench } from "@fairlead/testing/nats/nats-bus-bench.ts";
import { TcpProxy } from "@fairlead/testing/nats/tcp-proxy.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { NatsBus } from "./nats-bus.ts";

let bench: NatsBusBench;
beforeAll(async () => {
  bench = await NatsBusBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const ping: BusCall = { method: "ping", params: null };
const wait: BusCall = { method: "wait", params: null };
const deadline = (): AbortSignal => AbortSignal.timeout(60_000);
const callOf = async (bus: NatsBus, call: BusCall): Promise<unknown> =>
  await bus.call("s", call, deadline()).catch((error: unknown) => error);

test("services answer and subscribers read again after the server was killed", async () => {
  const namespace = bench.createNamespace();
  await using host = await bench.open(namespace);
  await using gateway = await bench.open(namespace);
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  await using _server = await host.bus.serve("s", 1, async ({ method }) => {
    if (method === "ping") return "pong";
    begun.resolve();
    return await released.promise;
  });
  const texts: string[] = [];
  const reading = new AbortController();
  await using stack = new AsyncDisposableStack();
  const reader = (async () => {
    for await (const { text } of gateway.bus.subscribe("s", reading.signal)) texts.push(text);
  })();
  stack.defer(async () => {
    reading.abort();
    await reader;
  });
  const publishUntilRead = async (text: string): Promise<void> => {
    await vi.waitUntil(
      () => {
        host.bus.publish("s", { type: "text.delta", text });
        return texts.includes(text);
      },
      { timeout: 20_000, interval: 5 },
    );
  };
  await publishUntilRead("before");
  const underWay = callOf(gateway.bus, wait);
  await begun.promise;
  // The host says that the first call has begun before it answers the second.
  expect(await callOf(gateway.bus, ping)).toBe("pong");

  await bench.cluster.killAll();
  // The clients notice the lost connection a moment later.
  await vi.waitUntil(async () => (await callOf(gateway.bus, ping)) instanceof Error, { timeout: 20_000 });
  const start = performance.now();
  expect(await callOf(gateway.bus, ping)).toMatchObject({ code: "unavailable" });
  expect(performance.now() - start).toBeLessThan(500);
  for (let n = 0; n < 1000; n++) host.bus.publish("s", { type: "text.delta", text: "lost" });
  bench.cluster.restart(0);

  await vi.waitUntil(async () => (await callOf(gateway.bus, ping)) === "pong", { timeout: 20_000 });
  await publishUntilRead("after");
  expect(texts).not.toContain("lost");
  released.resolve("late");
  expect(await underWay).toBe("late");
});

test("a call is indeterminate soon after the host's connection is closed", async () => {
  const namespace = bench.createNamespace();
  await using host = await bench.open(namespace);
  await using gateway = await bench.open(namespace);
  const begun = Promise.withResolvers<void>();
  await host.bus.serve("s", 1, async ({ method }) => {
    if (method === "ping") return "pong";
    begun.resolve();
    return await new Promise(() => {});
  });
  const outcome = callOf(gateway.bus, wait);
  await begun.promise;
  expect(await callOf(gateway.bus, ping)).toBe("pong");
  const start = performance.now();
  await host.connection.close();
  expect(await outcome).toMatchObject({ code: "indeterminate" });
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(await callOf(gateway.bus, ping)).toMatchObject({ code: "unavailable" });
});

test("a call that a host carries out without being able to say so is indeterminate", async () => {
  const namespace = bench.createNamespace();
  await using proxy = await TcpProxy.start(bench.cluster.servers[0] ?? "");
  await using host = await bench.open(namespace, { server: proxy.address });
  await using gateway = await bench.open(namespace);
  let count = 0;
  await using _server = await host.bus.serve("s", 1, async () => {
    // The message that the call has begun is not out yet.
    proxy.cut();
    count += 1;
  });
  const start = performance.now();
  expect(await callOf(gateway.bus, ping)).toMatchObject({ code: "indeterminate" });
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(count).toBe(1);
  // No host hears of the next one.
  expect(await callOf(gateway.bus, ping)).toMatchObject({ code: "unavailable" });
  expect(count).toBe(1);
});

test("calls are indeterminate after six checks of a host that is frozen", { timeout: 60_000 }, async () => {
  const namespace = bench.createNamespace();
  const checkInterval = 400;
  await using gateway = await bench.open(namespace, { checkInterval });
  const { servers, application } = bench.cluster;
  const program = fileURLToPath(import.meta.resolve("@fairlead/testing/nats/serve-session.ts"));
  const args = [program, servers[0] ?? "", application.user, application.pass, namespace, "s"];
  const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(host.stdout, "data");
    expect(await callOf(gateway.bus, ping)).toBe("pong");
    const begun = callOf(gateway.bus, wait);
    // A call that takes long is not given up.
    expect(
      await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 8 * checkInterval, "waiting"))]),
    ).toBe("waiting");
    host.kill("SIGSTOP");
    const start = performance.now();
    const unheard = callOf(gateway.bus, ping);
    expect(await begun).toMatchObject({ code: "indeterminate" });
    expect(await unheard).toMatchObject({ code: "indeterminate" });
    expect(performance.now() - start).toBeLessThan(8 * checkInterval);
    host.kill("SIGCONT");
    expect(await callOf(gateway.bus, ping)).toBe("pong");
  } finally {
    const exited = once(host, "exit");
    host.kill("SIGKILL");
    await exited;
  }
});

test("a host that was cut off answers no call after another host has a higher epoch", async () => {
  const namespace = bench.createNamespace();
  await using proxy = await TcpProxy.start(bench.cluster.servers[0] ?? "");
  await using old = await bench.open(namespace, { server: proxy.address });
  await using newer = await bench.open(namespace);
  await using gateway = await bench.open(namespace);
  await using _old = await old.bus.serve("s", 1, async () => "old");
  await using _other = await old.bus.serve("other", 1, async () => "old");
  expect(await callOf(gateway.bus, ping)).toBe("old");
  proxy.cut();
  await using _newer = await newer.bus.serve("s", 2, async () => "new");
  expect(await callOf(gateway.bus, ping)).toBe("new");
  proxy.heal();
  const replies = new Set<unknown>();
  await vi.waitUntil(
    async () => {
      for (let n = 0; n < 20; n++) replies.add(await callOf(gateway.bus, ping));
      return (await gateway.bus.call("other", ping, deadline()).catch(() => undefined)) === "old";
    },
    { timeout: 20_000, interval: 1 },
  );
  for (let n = 0; n < 100; n++) replies.add(await callOf(gateway.bus, ping));
  expect([...replies]).toEqual(["new"]);
});

test("no call fails or is carried out twice while newer hosts take over", async () => {
  const namespace = bench.createNamespace();
  const hosts = await Promise.all([bench.open(namespace), bench.open(namespace)]);
  await using _first = hosts[0];
  await using _second = hosts[1];
  await using gateway = await bench.open(namespace);
  const counts = new Map<unknown, number>();
  const answer = async ({ params }: BusCall): Promise<unknown> => {
    counts.set(params, (counts.get(params) ?? 0) + 1);
    return params;
  };
  let server = await hosts[0].bus.serve("s", 0, answer);
  const stop = new AbortController();
  let calls = 0;
  const errors: unknown[] = [];
  const callers = [1, 2, 3, 4].map(async () => {
    while (!stop.signal.aborted) {
      const params = calls++;
      await gateway.bus
        .call("s", { method: "count", params }, deadline())
        .catch((error: unknown) => errors.push(error));
    }
  });
  for (let epoch = 1; epoch <= 20; epoch++) {
    const next = await hosts[epoch % 2]?.bus.serve("s", epoch, answer);
    await server[Symbol.asyncDispose]();
    if (next !== undefined) server = next;
  }
  stop.abort();
  await Promise.all(callers);
  await server[Symbol.asyncDispose]();
  expect(errors).toEqual([]);
  expect(counts.size).toBe(calls);
  expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
});

test("an older host answers again when the newer one has ended", async () => {
  const namespace = bench.createNamespace();
  await using one = await bench.open(namespace);
  await using other = await bench.open(namespace);
  await using _old = await one.bus.serve("s", 1, async () => "old");
  const newer = await other.bus.serve("s", 2, async () => "new");
  expect(await callOf(one.bus, ping)).toBe("new");
  await newer[Symbol.asyncDispose]();
  await vi.waitUntil(async () => (await callOf(other.bus, ping)) === "old", { timeout: 10_000 });
});

test("hosts that begin at the same time agree on the newest", async () => {
  const namespace = bench.createNamespace();
  const hosts = await Promise.all([1, 2, 3, 4].map(() => bench.open(namespace)));
  await using stack = new AsyncDisposableStack();
  for (const host of hosts) stack.use(host);
  for (let round = 0; round < 20; round++) {
    const session = `s${round}`;
    const epochs = hosts.map((_, index) => ((index + round) % hosts.length) + 1);
    const servers = await Promise.all(
      hosts.map(({ bus }, index) => bus.serve(session, epochs[index] ?? 0, async () => epochs[index])),
    );
    for (const { bus } of hosts) expect(await bus.call(session, ping, deadline())).toBe(4);
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }
});
