import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createServer } from "node:http";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { AppTypes } from "./app-types.ts";
import { Listener } from "./listener.ts";
import { receiveBody } from "./receive-body.ts";

const refusedHead = (length: number): string =>
  `POST /refused HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n`;
const nextRequest = "GET /next HTTP/1.1\r\nhost: localhost\r\n\r\n";

/** Reads a connection until it contains the text or is closed. */
async function readUntil(socket: Socket, text: string): Promise<string> {
  let received = "";
  socket.setEncoding("utf8");
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += chunk as string;
    if (received.includes(text)) break;
  }
  return received;
}

test("a connection stays usable after a request that was refused before its body arrived", async () => {
  const app = new Hono<AppTypes>();
  app.post("/refused", (context) => context.text("refused", 403));
  app.get("/next", (context) => context.text("next"));
  await using listener = await Listener.open(app, 10, { host: "127.0.0.1", port: 0 });
  const socket = connect(listener.port!, "127.0.0.1");
  await once(socket, "connect");
  const reading = readUntil(socket, "next");
  socket.write(`${refusedHead(2000)}${"x".repeat(1000)}`);
  await delay(700); // the HTTP library waits for 500 ms, and then closes the connection
  socket.write(`${"x".repeat(1000)}${nextRequest}`);
  expect(await reading).toMatch(/refused[^]*next/);
  socket.destroy();
});

test.each([
  ["does not arrive", { bytes: 10_000, ms: 50 }, 1],
  ["is too long", { bytes: 10_000, ms: 60_000 }, 90_000],
])("a body that %s is not waited for", async (_name, limits, sent) => {
  const server = createServer((incoming, outgoing) => {
    void receiveBody(incoming, limits).then((isComplete) => outgoing.end(JSON.stringify({ isComplete })));
  });
  await using _ = { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  socket.write(`${refusedHead(100_000)}${"x".repeat(sent)}`);
  expect(await readUntil(socket, "}")).toContain('{"isComplete":false}');
  socket.destroy();
});
