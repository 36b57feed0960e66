import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { NetworkGate, NetworkRecord } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock, type KeeperClock } from "../keeper-clock.ts";
import type { AdmissionOptions } from "./admission.ts";
import { GateServer } from "./gate-server.ts";
import { holdMs } from "./held-targets.ts";

const emptyGate: NetworkGate = { hosts: [], refusedHosts: [], services: [], forwards: [] };
const cleanups: (() => void)[] = [];
let verdicts: NetworkRecord[];
let timers: (() => void)[];

beforeEach(() => void ([verdicts, timers] = [[], []]));
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Timers go off when the test says so. */
const clock: KeeperClock = {
  ...systemClock,
  after: (milliseconds, callback) => {
    expect(milliseconds).toBe(holdMs);
    timers.push(callback);
    return { [Symbol.dispose]: () => void timers.splice(timers.indexOf(callback), 1) };
  },
};

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return (server.address() as { port: number }).port;
}

/** Starts a gate, with names that all have the address of this machine. Returns it and the port of its proxy. */
async function startGate(
  gate: Partial<NetworkGate>,
  options: Partial<AdmissionOptions> = {},
): Promise<{ gate: GateServer; port: number }> {
  const server = new GateServer({
    gate: { ...emptyGate, ...gate },
    clock,
    onVerdict: (record) => void verdicts.push(record),
    resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
    isReachable: () => true,
    ...options,
  });
  cleanups.push(() => server[Symbol.dispose]());
  const listener = createServer();
  const port = await listening(listener);
  server.serveProxy(listener);
  return { gate: server, port };
}

/** A server that repeats what it gets. */
const echo = (): Promise<number> => listening(createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)));

/** Opens a tunnel, and returns the status and the socket. */
async function tunnel(port: number, target: string): Promise<{ status: number; body: string; socket: Socket }> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  cleanups.push(() => socket.destroy());
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let head = "";
  while (!head.includes("\r\n\r\n")) head += String((await once(socket, "data"))[0]);
  return { status: Number(head.split(" ")[1]), body: head.slice(head.indexOf("\r\n\r\n") + 4), socket };
}

async function get(port: number, url: string, headers = {}): Promise<{ status: number; body: string }> {
  const sent = request({ port, host: "127.0.0.1", path: url, headers });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

const rulesOf = (): string[] => verdicts.map(({ host, verdict, rule }) => `${host} ${verdict} ${rule}`);
const held = async (count = 1): Promise<void> => {
  while (verdicts.filter(({ verdict }) => verdict === "held").length < count) await new Promise(setImmediate);
};

test("a tunnel to a listed host copies both ways, and lets either end first", async () => {
  const target = await echo();
  const { port } = await startGate({ hosts: [`api.example.com:${target}`] });
  const { status, socket } = await tunnel(port, `api.example.com:${target}`);
  expect(status).toBe(200);
  socket.end("x".repeat(1_000_000));
  expect(await text(socket)).toHaveLength(1_000_000);
  expect(verdicts).toEqual([{ host: "api.example.com", port: target, verdict: "allowed", rule: "listed" }]);
});

test("a plain request reaches the judged host, with its name in the header", async () => {
  const target = await listening(
    createHttpServer((incoming, response) => {
      const { host, "proxy-authorization": secret } = incoming.headers;
      void text(incoming).then((body) => response.end(`${incoming.method} ${incoming.url} ${host} ${secret} ${body}`));
    }),
  );
  const { port } = await startGate({ hosts: [`a.example.com:${target}`] });
  const headers = { host: "other.example.com", "proxy-authorization": "secret" };
  expect(await get(port, `http://a.example.com:${target}/x?y`, headers)).toEqual({
    status: 200,
    body: `GET /x?y a.example.com:${target} undefined `,
  });
});

test.each([
  ["a status that may not be sent", "HTTP/1.1 000 Zero\r\n\r\n"],
  ["a header that may not be sent", "HTTP/1.1 200 OK\r\nx: a\u0001b\r\n\r\n"],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["another language", "SSH-2.0-OpenSSH\r\n"],
])("an answer with %s is an error of that request alone", async (_name, answer) => {
  const target = await listening(createServer((socket) => socket.once("data", () => socket.end(answer))));
  const { port } = await startGate({ hosts: [`a.example.com:${target}`] });
  expect((await get(port, `http://a.example.com:${target}/`)).status).toBe(502);
});

test.each([
  ["cannot be connected to", [{ address: "127.0.0.1", family: 4 }]],
  ["has no address", []],
])("if a host %s, the connection is reset, and the gate answers nothing", async (_name, addresses) => {
  const closed = createServer();
  const target = await listening(closed);
  closed.close();
  const resolve = (): Promise<typeof addresses> => Promise.resolve(addresses);
  const lists = { hosts: [`a.org:${target}`], services: [`b.org:${target}`], forwards: [target] };
  const { gate, port } = await startGate(lists, { resolve });
  const [endpoint, forward] = [createServer(), createServer()];
  const [endpointPort, forwardPort] = [await listening(endpoint), await listening(forward)];
  const description = {
    url: `http://b.org:${target}`,
    header: "x-api-key",
    prefix: "",
    variable: "KEY",
    variables: {},
  };
  gate.serveEndpoint(endpoint, { ...description, port: endpointPort }, "key");
  gate.serveForward(forward, { host: "127.0.0.1", port: target });
  // The message, because a connection that ends in the usual way has the same code.
  for (const attempt of [
    () => tunnel(port, `a.org:${target}`),
    () => get(port, `http://a.org:${target}/`),
    () => get(endpointPort, "/messages"),
    () => once(connect(forwardPort, "127.0.0.1"), "end"),
  ]) {
    await expect(attempt()).rejects.toThrow("ECONNRESET");
  }
});

test("a server that closes without an answer is an unreachable one", async () => {
  const target = await listening(createServer((socket) => socket.once("data", () => socket.end())));
  const { port } = await startGate({ hosts: [`a.example.com:${target}`] });
  await expect(get(port, `http://a.example.com:${target}/`)).rejects.toThrow("ECONNRESET");
});

test("the body of a request is not read as the next request", async () => {
  const target = await listening(
    createHttpServer((incoming, response) => {
      void text(incoming).then((body) => response.end(`${incoming.method} ${incoming.url} ${body}`));
    }),
  );
  const { port } = await startGate({ hosts: [`a.example.com:${target}`] });
  const path = `http://a.example.com:${target}/a`;
  const sent = request({
    port,
    host: "127.0.0.1",
    path,
    method: "DELETE",
    headers: { "transfer-encoding": "chunked" },
  });
  sent.end("GET /b HTTP/1.1\r\n\r\n");
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(await text(response)).toBe("DELETE /a GET /b HTTP/1.1\r\n\r\n");
});

test("refuses what is not listed by name, and tells why", async () => {
  const target = await echo();
  const { port } = await startGate({ hosts: [`a.org:${target}`], refusedHosts: [`t.org:${target}`] });
  const { status, body } = await tunnel(port, `t.org:${target}`);
  expect([status, body]).toEqual([403, expect.stringContaining("the agent works without it")]);
  for (const name of [`127.0.0.1:${target}`, `2130706433:${target}`, `[::ffff:127.0.0.1]:${target}`]) {
    expect((await tunnel(port, name)).status).toBe(403);
  }
  for (const name of [`a.org.:${target}`, `a.org@t.org:${target}`, "a.org"]) {
    expect((await tunnel(port, name)).status).toBe(400);
  }
  for (const url of [`http://u:p@a.org:${target}/`, "/", `https://a.org:${target}/`, `http://a.org%00:${target}/`]) {
    expect((await get(port, url)).status).toBe(400);
  }
  expect(verdicts.every(({ verdict }) => verdict === "refused")).toBe(true);
  expect(verdicts).toHaveLength(11);
});

test("a listed name with a private address is refused, and is resolved once", async () => {
  const target = await echo();
  const answers = [["8.8.8.8"], ["127.0.0.1"], ["8.8.8.8", "127.0.0.1"]];
  let questions = 0;
  const { port } = await startGate(
    { hosts: [`a.org:${target}`] },
    {
      resolve: () => Promise.resolve((answers[questions++] ?? []).map((address) => ({ address, family: 4 }))),
      isReachable: (address) => address !== "127.0.0.1",
    },
  );
  // The first answer is public and is not reachable here: the gate must not ask again and get the second one.
  const first = connect({ port, host: "127.0.0.1" });
  first.write(`CONNECT a.org:${target} HTTP/1.1\r\n\r\n`);
  while (verdicts.length === 0) await new Promise(setImmediate);
  first.destroy();
  expect([questions, rulesOf()]).toEqual([1, ["a.org allowed listed"]]);
  for (const _ of [1, 2]) expect((await tunnel(port, `a.org:${target}`)).status).toBe(403);
  expect(rulesOf().slice(1)).toEqual(["a.org refused private", "a.org refused private"]);
});

test("connections to an unlisted host wait for one answer, without a question to a name server", async () => {
  const target = await echo();
  let questions = 0;
  const resolve = (): Promise<{ address: string; family: number }[]> => {
    questions += 1;
    return Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
  };
  const { gate, port } = await startGate({}, { resolve });
  const waiting = [tunnel(port, `new.org:${target}`), tunnel(port, `new.org:${target}`)];
  await held();
  expect([questions, verdicts.length]).toEqual([0, 1]);
  gate.answer({ host: "new.org", port: target }, true);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await tunnel(port, `new.org:${target}`)).status).toBe(200);
  expect(rulesOf()).toEqual(["new.org held unlisted", ...Array.from({ length: 3 }, () => "new.org allowed answer")]);
});

test("a denied host is refused, and asked about again", async () => {
  const { gate, port } = await startGate({});
  const first = tunnel(port, "new.org:443");
  await held();
  gate.answer({ host: "new.org", port: 443 }, false);
  expect(await first).toMatchObject({ status: 403, body: expect.stringContaining("denied") });
  const second = get(port, "http://new.org:443/");
  await held(2);
  gate.answer({ host: "new.org", port: 443 }, false);
  expect((await second).status).toBe(403);
});

test("a connection without an answer is refused after the time", async () => {
  const { port } = await startGate({});
  const waiting = [tunnel(port, "new.org:443"), tunnel(port, "new.org:443")];
  await held();
  // Both connections have arrived when a third one is answered.
  await get(port, "/");
  timers[0]?.();
  for (const { status, body } of await Promise.all(waiting)) {
    expect([status, body]).toEqual([403, expect.stringContaining("no answer came in time")]);
  }
  expect(rulesOf().filter((rule) => rule.startsWith("new.org"))).toEqual([
    "new.org held unlisted",
    "new.org refused no-answer",
  ]);
});

test("only so many hosts wait: of 1,000, all others are refused at once", async () => {
  const { gate, port } = await startGate({});
  const statuses: number[] = [];
  const ask = (index: number): Promise<void> =>
    tunnel(port, `h${index}.org:443`).then(({ status }) => void statuses.push(status));
  const waiting = Array.from({ length: 16 }, (_, index) => ask(index));
  await held(16);
  for (let index = 16; index < 1000; index += 1) await ask(index);
  expect(statuses).toEqual(Array.from({ length: 984 }, () => 403));
  expect(timers).toHaveLength(16);
  for (let index = 0; index < 16; index += 1) gate.answer({ host: `h${index}.org`, port: 443 }, false);
  await Promise.all(waiting);
  expect(timers).toHaveLength(0);
  expect(rulesOf().filter((rule) => rule.endsWith("too-many"))).toHaveLength(984);
});

test("a forwarded port reaches the same port outside", async () => {
  const target = await echo();
  const { gate } = await startGate({ forwards: [target] });
  const inside = createServer();
  const port = await listening(inside);
  gate.serveForward(inside, { host: "127.0.0.1", port: target });
  const socket = connect(port, "127.0.0.1");
  socket.end("forwarded");
  expect(await text(socket)).toBe("forwarded");
  expect(rulesOf()).toEqual(["127.0.0.1 allowed forwarded"]);
});

test("the endpoint of the agent's service inserts the key, streams both ways, and serves nothing else", async () => {
  const seen: string[] = [];
  const target = await listening(
    createHttpServer((incoming, response) => {
      const { host, authorization, "x-api-key": key } = incoming.headers;
      seen.push(`${incoming.method} ${incoming.url} ${host} ${authorization} ${String(key)}`);
      // Each part is sent when the one before it has arrived.
      incoming.on("data", (part: Buffer) => response.write(`<${String(part)}>`));
      incoming.on("end", () => response.end());
    }),
  );
  const { gate } = await startGate({ services: [`127.0.0.1:${target}`] });
  const inside = createServer();
  const port = await listening(inside);
  const endpoint = { url: `http://127.0.0.1:${target}/v1`, header: "x-api-key", prefix: "" };
  gate.serveEndpoint(inside, { ...endpoint, port, variable: "KEY", variables: {} }, "real key");
  const headers = { authorization: "Bearer worthless", "x-api-key": "worthless", "transfer-encoding": "chunked" };
  const sent = request({ port, host: "127.0.0.1", path: "/v1/messages?x", method: "POST", headers });
  sent.write("one");
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(String((await once(response, "data"))[0])).toBe("<one>");
  sent.end("two");
  expect(await text(response)).toBe("<two>");
  expect(seen).toEqual([`POST /v1/messages?x 127.0.0.1:${target} undefined real key`]);
  for (const path of ["/", "/v2/messages", `http://127.0.0.1:${target}/v1/messages`]) {
    expect((await get(port, path)).status).toBe(404);
  }
  for (const [method, path] of [
    ["TRACE", "/v1/messages"],
    ["GET", "/v1/../admin"],
    ["GET", "/v1/%2E%2e/admin"],
    ["GET", "/v1/x%2f..%2f..%2fadmin"],
  ] as const) {
    const refused = request({ port, host: "127.0.0.1", path, method }).end();
    const [{ statusCode }] = (await once(refused, "response")) as [IncomingMessage];
    expect(statusCode).toBe(404);
  }
  expect(seen).toHaveLength(1);
  expect((await get(port, "/v1/models/a%2Fb...?x=..")).status).toBe(200);
});

test("the endpoint inserts the key in a request for a web socket, and connects both ends if the service agrees", async () => {
  const seen: string[] = [];
  const service = createHttpServer((incoming, response) => {
    seen.push(`refused ${incoming.headers.authorization}`);
    response.writeHead(426, { "x-reason": "none here" }).end("use HTTP");
  });
  const target = await listening(service);
  const { gate } = await startGate({ services: [`127.0.0.1:${target}`] });
  const inside = createServer();
  const port = await listening(inside);
  const endpoint = { url: `http://127.0.0.1:${target}/v1`, header: "authorization", prefix: "Bearer " };
  gate.serveEndpoint(inside, { ...endpoint, port, variable: "KEY", variables: {} }, "real key");
  const open = (path: string): Socket => {
    const socket = connect(port, "127.0.0.1");
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer worthless\r\nSec-WebSocket-Key: k\r\n`;
    socket.write(`${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst`);
    return socket;
  };
  expect(await text(open("/v1/responses"))).toMatch(
    /^HTTP\/1.1 426 [^]*x-reason: none here\r\n[^]*\r\n\r\n[^]*use HTTP/,
  );
  expect(await text(open("/v2/responses"))).toMatch(/^HTTP\/1.1 404 /);
  service.on("upgrade", ({ headers }, socket, head) => {
    seen.push(`agreed ${headers.authorization} ${headers["sec-websocket-key"]} ${headers.host}`);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Accept: a\r\n\r\nhello ",
    );
    socket.write(head);
    socket.pipe(socket);
  });
  const socket = open("/v1/responses");
  let received = "";
  socket.on("data", (part: Buffer) => (received += String(part)));
  await expect.poll(() => received).toContain("hello first");
  socket.end(" second");
  await once(socket, "close");
  expect(received).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n[^]*X-Accept: a\r\n\r\nhello first second$/);
  expect(seen).toEqual(["refused Bearer real key", `agreed Bearer real key k 127.0.0.1:${target}`]);
});

test("the endpoint says to use HTTP if the service cannot be reached, and closes web sockets with the gate", async () => {
  const [service, closed] = [createHttpServer(), createServer()];
  const [target, gone] = [await listening(service), await listening(closed)];
  closed.close();
  const { gate } = await startGate({ services: [`127.0.0.1:${target}`, `127.0.0.1:${gone}`] });
  const serve = async (to: number): Promise<Socket> => {
    const inside = createServer();
    const port = await listening(inside);
    const endpoint = { url: `http://127.0.0.1:${to}`, header: "x", prefix: "", variable: "KEY", variables: {} };
    gate.serveEndpoint(inside, { ...endpoint, port }, "real key");
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    return socket;
  };
  expect(await text(await serve(gone))).toMatch(/^HTTP\/1.1 426 /);
  const upstream = new Promise<Socket>((resolve) => {
    service.on("upgrade", (_, socket: Socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      resolve(socket);
    });
  });
  const socket = await serve(target);
  const [outside] = await Promise.all([upstream, once(socket, "data")]);
  const ends = Promise.all([once(socket, "close"), once(outside, "end")]);
  for (const one of [socket, outside]) one.on("error", () => {}).resume();
  gate[Symbol.dispose]();
  await ends;
});
