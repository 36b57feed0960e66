import { once } from "node:events";
import { connect } from "node:net";
import { closeCodes, type EventPage, type Frame } from "@fairlead/api";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestServer } from "@fairlead/testing/server/test-server.ts";

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Serves on a port and returns the events URL with a reader's token. */
async function serveReader(
  server: TestServer,
  limits: object = {},
): Promise<{ url: string; headers: Record<string, string> }> {
  const { url } = await server.serve({ port: 0, limits });
  const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
  return { url: `${url}/v1/sessions/${server.session}/events`, headers: { authorization: `Bearer ${token}` } };
}

async function framesUntilClosed(socket: WebSocket, onFrame: (frame: Frame) => void = () => {}): Promise<Frame[]> {
  const frames: Frame[] = [];
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    frames.push(frame);
    onFrame(frame);
  });
  await once(socket, "close");
  return frames;
}

const sequences = (frames: readonly Frame[]): number[] => {
  return frames.flatMap((frame) => ("event" in frame ? [frame.event.sequence] : []));
};

describe("a WebSocket", () => {
  test("sends history and then new events, without gaps or duplicates, while events are written", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server);
    await server.appendEvents(500);
    let appending: Promise<void> | undefined;
    const append = async (): Promise<void> => {
      for (let round = 0; round < 50; round += 1) await server.appendEvents(10);
      await server.endSession();
    };
    const frames = await framesUntilClosed(new WebSocket(`${url}?after=100`.replace("http", "ws"), { headers }), () => {
      appending ??= append(); // while the client receives history
    });
    await appending;
    expect(sequences(frames)).toEqual(numbers(101, 1001));
    const marks = frames.flatMap((frame) => ("caughtUp" in frame ? [frame.caughtUp] : []));
    expect(marks).toEqual([500]);
    expect(frames.findIndex((frame) => "caughtUp" in frame)).toBe(400);
  });

  test("disconnects a client that does not read, and lets it continue after its last sequence", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server, { stall: 300, ping: 100 });
    for (let round = 0; round < 40; round += 1) await server.appendEvents(10, 100_000);
    await server.endSession();

    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    const received: Frame[] = [];
    socket.on("message", (data: Buffer) => received.push(JSON.parse(data.toString()) as Frame));
    await once(socket, "message");
    socket.pause();
    await expect.poll(() => server.activeReaders, { timeout: 10_000 }).toBe(0);
    // The kernel buffers a few megabytes; most of the 40 megabytes were not read from the journal.
    expect(server.eventsRead).toBeLessThan(200);

    const closed = once(socket, "close");
    socket.resume();
    const [code] = (await closed) as [number];
    expect([closeCodes.tooSlow, 1006]).toContain(code);
    const last = sequences(received).at(-1)!;
    const unlimited = await serveReader(server);
    const reconnected = new WebSocket(`${unlimited.url}?after=${last}`.replace("http", "ws"), { headers });
    const rest = await framesUntilClosed(reconnected);
    expect([...sequences(received), ...sequences(rest)]).toEqual(numbers(1, 401));
  });

  test("control: without a limit on unsent bytes, the server reads everything", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server, { unsent: Infinity });
    for (let round = 0; round < 40; round += 1) await server.appendEvents(10, 100_000);
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    await once(socket, "message");
    socket.pause();
    await expect.poll(() => server.eventsRead, { timeout: 10_000 }).toBe(400);
    socket.terminate();
  });

  test("ends if the client does not answer a ping", async () => {
    await using server = await TestServer.open();
    await server.appendEvents(1);
    const { url, headers } = await serveReader(server, { ping: 50 });
    const { port, pathname } = new URL(url);
    const handshake = [
      `GET ${pathname} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${headers["authorization"]}`,
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ];
    const silentClient = connect(Number(port), "127.0.0.1", () => silentClient.write(handshake.join("\r\n"))).resume();
    silentClient.on("error", () => {});
    await once(silentClient, "close");
  });

  test("reports an error in a frame and closes with the code for problems", async () => {
    await using server = await TestServer.open();
    server.fairlead.session = () => Promise.reject(new Error("an internal secret"));
    const { url, headers } = await serveReader(server);
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    const closed = once(socket, "close");
    const [frame] = await framesUntilClosed(socket);
    expect(frame).toMatchObject({ problem: { code: "unavailable", status: 500 } });
    expect(JSON.stringify(frame)).not.toContain("secret");
    expect((await closed)[0]).toBe(closeCodes.problem);
  });
});

describe("server-sent events", () => {
  test("have ids, continue after the Last-Event-ID, and follow the session", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server);
    await server.appendEvents(5);
    const accept = { ...headers, accept: "text/event-stream", "last-event-id": "3" };
    const response = await fetch(url, { headers: accept });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const decoder = new TextDecoder();
    let text = "";
    for await (const part of response.body!) {
      text += decoder.decode(part);
      if (text.includes('"caughtUp":5') && !text.includes("session.ended")) await server.endSession();
    }
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([4, 5, 6]);
  });

  test("stop for a client that does not read, and break off", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server, { stall: 300, ping: 100 });
    for (let round = 0; round < 40; round += 1) await server.appendEvents(10, 100_000);
    const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
    await expect.poll(() => server.activeReaders, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => server.activeReaders, { timeout: 10_000 }).toBe(0);
    expect(server.eventsRead).toBeLessThan(250);
    await expect(response.text()).rejects.toThrow();
  });

  test("are kept alive with comments while there are no events", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server, { ping: 20 });
    const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
    let text = "";
    for await (const part of response.body!) {
      text += new TextDecoder().decode(part);
      if (text.includes(":\n\n:\n\n")) break;
    }
    await server.appendEvents(1);
  });
});

describe("a page of events", () => {
  test("has at most the requested count, at most the page size, and the sequence to continue after", async () => {
    await using server = await TestServer.open();
    const { url, headers } = await serveReader(server, { page: 5000 });
    await server.appendEvents(10);
    const page = async (query: string): Promise<EventPage> => {
      return (await (await fetch(url + query, { headers })).json()) as EventPage;
    };
    const limitedPage = await page("?after=2&limit=3");
    expect(limitedPage.events.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    expect(limitedPage.next).toBe(5);
    expect(await page("?after=10")).toEqual({ events: [], next: null });
    expect((await page("?limit=10")).next).toBe(null);
    await server.appendEvents(2, 10_000);
    expect((await page("?after=10")).events.map(({ sequence }) => sequence)).toEqual([11]);
    expect((await fetch(`${url}?limit=1001`, { headers })).status).toBe(400);
    expect((await fetch(`${url}?after=-1`, { headers })).status).toBe(400);
    expect((await fetch(`${url}?token=x`, { headers })).status).toBe(400);
  });
});
