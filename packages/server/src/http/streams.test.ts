import { once } from "node:events";
import { connect } from "node:net";
import { closeCodes, type EventPage, type Frame } from "@fairlead/api";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Ground } from "./ground-for-test.ts";

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A reader with a token, at a service on a port. */
async function reader(ground: Ground, limits: object = {}): Promise<{ url: string; headers: Record<string, string> }> {
  const { url } = await ground.serve({ port: 0, limits });
  const token = ground.tokens.issue({ label: "reader", scopes: ["read"] });
  return { url: `${url}/v1/sessions/${ground.session}/events`, headers: { authorization: `Bearer ${token}` } };
}

async function framesUntilClosed(socket: WebSocket, each: (frame: Frame) => void = () => {}): Promise<Frame[]> {
  const frames: Frame[] = [];
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    frames.push(frame);
    each(frame);
  });
  await once(socket, "close");
  return frames;
}

const sequences = (frames: readonly Frame[]): number[] => {
  return frames.flatMap((frame) => ("event" in frame ? [frame.event.sequence] : []));
};

describe("a WebSocket", () => {
  test("tells history and then what comes, without gap or double, while more is written", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground);
    await ground.write(500);
    let written: Promise<void> | undefined;
    const append = async (): Promise<void> => {
      for (let round = 0; round < 50; round += 1) await ground.write(10);
      await ground.end();
    };
    const frames = await framesUntilClosed(new WebSocket(`${url}?after=100`.replace("http", "ws"), { headers }), () => {
      written ??= append(); // in the middle of its history
    });
    await written;
    expect(sequences(frames)).toEqual(numbers(101, 1001));
    const marks = frames.flatMap((frame) => ("caughtUp" in frame ? [frame.caughtUp] : []));
    expect(marks).toEqual([500]);
    expect(frames.findIndex((frame) => "caughtUp" in frame)).toBe(400);
  });

  test("of a reader that does not read is not read on for, and is cut; it goes on from its number", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground, { stall: 300, ping: 100 });
    for (let round = 0; round < 40; round += 1) await ground.write(10, 100_000);
    await ground.end();

    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    const seen: Frame[] = [];
    socket.on("message", (data: Buffer) => seen.push(JSON.parse(data.toString()) as Frame));
    await once(socket, "message");
    socket.pause();
    await expect.poll(() => ground.readers, { timeout: 10_000 }).toBe(0);
    // What the kernel holds between the two is a few megabytes; most of the forty have stayed in the journal.
    expect(ground.read).toBeLessThan(200);

    const closed = once(socket, "close");
    socket.resume();
    const [code] = (await closed) as [number];
    expect([closeCodes.tooSlow, 1006]).toContain(code);
    const last = sequences(seen).at(-1)!;
    const patient = await reader(ground);
    const again = new WebSocket(`${patient.url}?after=${last}`.replace("http", "ws"), { headers });
    const rest = await framesUntilClosed(again);
    expect([...sequences(seen), ...sequences(rest)]).toEqual(numbers(1, 401));
  });

  test("control: where any amount may lie unsent, everything is read for one that does not read", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground, { unsent: Infinity });
    for (let round = 0; round < 40; round += 1) await ground.write(10, 100_000);
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    await once(socket, "message");
    socket.pause();
    await expect.poll(() => ground.read, { timeout: 10_000 }).toBe(400);
    socket.terminate();
  });

  test("whose other side is gone without a word is ended", async () => {
    await using ground = await Ground.open();
    await ground.write(1);
    const { url, headers } = await reader(ground, { ping: 50 });
    const { port, pathname } = new URL(url);
    const handshake = [
      `GET ${pathname} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${headers["authorization"]}`,
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ];
    const mute = connect(Number(port), "127.0.0.1", () => mute.write(handshake.join("\r\n"))).resume();
    mute.on("error", () => {});
    await once(mute, "close"); // it never answers a ping
  });

  test("says in a frame what went wrong, and closes with the code for it", async () => {
    await using ground = await Ground.open();
    ground.fairlead.session = () => Promise.reject(new Error("a secret of ours"));
    const { url, headers } = await reader(ground);
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    const closed = once(socket, "close");
    const [frame] = await framesUntilClosed(socket);
    expect(frame).toMatchObject({ problem: { code: "unavailable", status: 500 } });
    expect(JSON.stringify(frame)).not.toContain("secret");
    expect((await closed)[0]).toBe(closeCodes.problem);
  });
});

describe("server-sent events", () => {
  test("carry numbers, go on after the last one a browser names, and follow", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground);
    await ground.write(5);
    const accept = { ...headers, accept: "text/event-stream", "last-event-id": "3" };
    const response = await fetch(url, { headers: accept });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const decoder = new TextDecoder();
    let text = "";
    for await (const part of response.body!) {
      text += decoder.decode(part);
      if (text.includes('"caughtUp":5') && !text.includes("session.ended")) await ground.end();
    }
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([4, 5, 6]);
  });

  test("of a reader that does not read are not read on for, and break off", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground, { stall: 300, ping: 100 });
    for (let round = 0; round < 40; round += 1) await ground.write(10, 100_000);
    const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
    await expect.poll(() => ground.readers, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => ground.readers, { timeout: 10_000 }).toBe(0);
    expect(ground.read).toBeLessThan(250);
    await expect(response.text()).rejects.toThrow();
  });

  test("are kept alive with comments while nothing happens", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground, { ping: 20 });
    const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
    let text = "";
    for await (const part of response.body!) {
      text += new TextDecoder().decode(part);
      if (text.includes(":\n\n:\n\n")) break;
    }
    await ground.write(1);
  });
});

describe("a page", () => {
  test("has as many as were asked for, or as fit, and says where to go on", async () => {
    await using ground = await Ground.open();
    const { url, headers } = await reader(ground, { page: 5000 });
    await ground.write(10);
    const page = async (query: string): Promise<EventPage> => {
      return (await (await fetch(url + query, { headers })).json()) as EventPage;
    };
    const short = await page("?after=2&limit=3");
    expect(short.events.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    expect(short.next).toBe(5);
    expect(await page("?after=10")).toEqual({ events: [], next: null });
    expect((await page("?limit=10")).next).toBe(null);
    await ground.write(2, 10_000);
    expect((await page("?after=10")).events.map(({ sequence }) => sequence)).toEqual([11]);
    expect((await fetch(`${url}?limit=1001`, { headers })).status).toBe(400);
    expect((await fetch(`${url}?after=-1`, { headers })).status).toBe(400);
    expect((await fetch(`${url}?token=x`, { headers })).status).toBe(400);
  });
});
