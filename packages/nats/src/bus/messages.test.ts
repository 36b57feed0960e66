import type { BusCall } from "@fairlead/engine";
import { NatsBusBench } from "@fairlead/testing/nats/nats-bus-bench.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let bench: NatsBusBench;
beforeAll(async () => {
  bench = await NatsBusBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const deadline = (): AbortSignal => AbortSignal.timeout(60_000);
const echo = async ({ params }: BusCall): Promise<unknown> => params;

test("carries 20 MiB in both directions, several times at once", async () => {
  const namespace = bench.createNamespace();
  await using host = await bench.open(namespace);
  await using gateway = await bench.open(namespace);
  await using _server = await host.bus.serve("s", 1, echo);
  const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(20 * 1024 ** 2));
  const replies = await Promise.all(texts.map((params) => gateway.bus.call("s", { method: "m", params }, deadline())));
  for (const [index, text] of texts.entries()) expect(replies[index] === text).toBe(true);
});

test("refuses parameters and replies of more than 64 MiB", async () => {
  const namespace = bench.createNamespace();
  await using engine = await bench.open(namespace);
  const text = "a".repeat(65 * 1024 ** 2);
  await using _server = await engine.bus.serve("s", 1, async () => text);
  const call = async (params: unknown): Promise<unknown> =>
    await engine.bus.call("s", { method: "m", params }, deadline());
  await expect(call(text)).rejects.toMatchObject({ code: "too-large" });
  await expect(call(null)).rejects.toMatchObject({ code: "indeterminate" });
  await expect(call(1n)).rejects.toMatchObject({ code: "invalid-request" });
});

test("a reply that JSON cannot represent is indeterminate", async () => {
  await using engine = await bench.open(bench.createNamespace());
  await using _server = await engine.bus.serve("s", 1, async () => ({ secret: 1n }));
  const call = engine.bus.call("s", { method: "m", params: null }, deadline());
  await expect(call).rejects.toMatchObject({ code: "indeterminate" });
});

test("drops a delta that does not fit into a message", async () => {
  await using engine = await bench.open(bench.createNamespace());
  const reading = new AbortController();
  const deltas = engine.bus.subscribe("s", reading.signal)[Symbol.asyncIterator]();
  engine.bus.publish("s", { type: "screen", text: "x".repeat(9 * 1024 ** 2) });
  engine.bus.publish("s", { type: "screen", text: "small" });
  expect((await deltas.next()).value).toEqual({ type: "screen", text: "small" });
  reading.abort();
});

test("names a session's id that is too long", async () => {
  await using engine = await bench.open(bench.createNamespace());
  const session = "ü".repeat(2_000);
  const invalid = { code: "invalid-request" };
  await expect(engine.bus.serve(session, 1, echo)).rejects.toMatchObject(invalid);
  await expect(engine.bus.call(session, { method: "m", params: 1 }, deadline())).rejects.toMatchObject(invalid);
  engine.bus.publish(session, { type: "screen", text: "x" });
});

test("a call that arrives several times is carried out once", async () => {
  const namespace = bench.createNamespace();
  await using host = await bench.open(namespace);
  const client = await bench.connect();
  const released = Promise.withResolvers<void>();
  const begun: unknown[] = [];
  await using _server = await host.bus.serve("s", 1, async ({ method, params }) => {
    begun.push(params);
    if (method === "wait") await released.promise;
  });
  const { promise: replied, resolve } = Promise.withResolvers<void>();
  const reply = `${namespace}.bus.reply.client.1`;
  client.subscribe(reply, { callback: (_, message) => void (message.string().includes('"reply"') && resolve()) });
  const call = (): void =>
    client.publish(`${namespace}.bus.call.s`, '{}\n{"method":"wait","params":"twice"}', { reply });
  for (let n = 0; n < 3; n++) call();
  // The second call arrives after all others, since they take the same way.
  const other = `${namespace}.bus.reply.client.2`;
  const arrived = client.subscribe(other, { max: 1 })[Symbol.asyncIterator]().next();
  client.publish(`${namespace}.bus.call.s`, '{}\n{"method":"ping","params":"other"}', { reply: other });
  await arrived;
  released.resolve();
  await replied;
  call();
  await client.flush();
  await host.bus.call("s", { method: "ping", params: "last" }, deadline());
  expect(begun).toEqual(["twice", "other", "last"]);
});

test("hostile messages disturb no host, caller or subscriber, and hosts publish on no subject that they name", async () => {
  const namespace = bench.createNamespace();
  await using host = await bench.open(namespace);
  await using gateway = await bench.open(namespace);
  const attacker = await bench.connect();
  const stolen: string[] = [];
  attacker.subscribe("stolen.>", { callback: (_, { subject }) => void stolen.push(subject) });
  // The attacker answers what it can see, too, before the host does.
  const seen = new Set<string>();
  attacker.subscribe(`${namespace}.bus.>`, { callback: (_, { subject }) => void seen.add(subject) });
  await attacker.flush();
  const release = Promise.withResolvers<void>();
  let begun = 0;
  await using _server = await host.bus.serve("s", 5, async ({ params }) => {
    begun++;
    await release.promise;
    return params;
  });
  const reading = new AbortController();
  const delta = gateway.bus.subscribe("s", reading.signal)[Symbol.asyncIterator]().next();
  const reply = gateway.bus.call("s", { method: "m", params: "right" }, deadline());
  const large = { holder: "0".repeat(24), key: "1", size: 64 * 1024 ** 2 };
  const service = { epoch: Number.MAX_SAFE_INTEGER + 1, id: "x" };
  const hostile = [
    "",
    "\n",
    "{",
    "null\n",
    "[]\n{}",
    "[".repeat(100_000),
    '{"type":"reply"',
    '{"type":"begun","host":"*.>"}\n',
    '{"type":"unknown"}\n',
    JSON.stringify({ type: "part", key: "__proto__", part: 1e9 }),
    JSON.stringify({ type: "status", call: 5 }),
    JSON.stringify({ type: "status", call: "constructor" }),
    JSON.stringify({ type: "begin", service }),
    JSON.stringify({ type: "active", service: { epoch: -1, id: "x" } }),
    JSON.stringify({ type: "text.delta" }),
    JSON.stringify({ large: { ...large, size: 2 ** 40 } }),
    JSON.stringify({ large: { ...large, holder: "stolen.>" } }),
    Buffer.from([0xff, 0xfe, 0x0a, 0x80]),
  ];
  while (seen.size < 3) await attacker.flush();
  for (const subject of [...seen, `${namespace}.bus.delta.s`, `${namespace}.bus.process.x`]) {
    for (const message of hostile) {
      attacker.publish(subject, message, { reply: "stolen.reply" });
      attacker.publish(subject, message);
    }
  }
  attacker.publish(`${namespace}.bus.call.s`, '{}\n{"method":"m"}', { reply: "stolen.call" });
  attacker.publish(`${namespace}.bus.call.s`, "{}\nnot JSON", { reply: `${namespace}.bus.reply.x.1` });
  await attacker.flush();
  host.bus.publish("s", { type: "text.delta", text: "live" });
  release.resolve();
  expect(await reply).toBe("right");
  expect((await delta).value).toEqual({ type: "text.delta", text: "live" });
  reading.abort();
  expect(await gateway.bus.call("s", { method: "m", params: 2 }, deadline())).toBe(2);
  await attacker.flush();
  expect(stolen).toEqual([]);
  expect(begun).toBe(2);
});
