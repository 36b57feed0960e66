import { browserTransport, RemoteFairlead } from "@fairlead/client";
import { Event, type ReadEvent } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { AccessTokens } from "../access/access-tokens.ts";
import { serveHttp } from "../serve-http.ts";

/** Serves a session whose fourth event has a long text. */
async function serveLongText() {
  const testHome = new ServiceTestHome();
  const input = { path: "a.txt", content: "long ".repeat(10_000) };
  await testHome.writeHistories([
    {
      session: "s",
      bodies: [
        { type: "turn.started", turn: "t", input: "Write.", origin: "user" },
        { type: "tool.requested", call: "c", name: "write", input },
        { type: "tool.ended", call: "c", name: "write", ok: true, output: "𝄞".repeat(10_000) },
        { type: "turn.ended", turn: "t", outcome: "completed" },
        { type: "session.ended", reason: "stopped", exit: null },
      ],
    },
  ]);
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  const service = await serveHttp({ fairlead, port: 0, tokens });
  const token = await tokens.issue({ label: "reader", scopes: ["read"] });
  const remote = new RemoteFairlead(browserTransport(service.url ?? "", token));
  const get = async (query: string, accept = "application/json"): Promise<Response> =>
    await fetch(`${service.url}/v1/sessions/s/events?${query}`, {
      headers: { authorization: `Bearer ${token}`, accept },
    });
  const dispose = async (): Promise<void> => {
    await service[Symbol.asyncDispose]();
    await testHome[Symbol.asyncDispose]();
  };
  return { fairlead, remote, get, [Symbol.asyncDispose]: dispose };
}

const clipped = [[{ path: "/body/input/content", length: 50_000 }], [{ path: "/body/output", length: 20_000 }]];

function lengthsOf(events: readonly object[]): number[] {
  return events.map((event) => JSON.stringify(event).length);
}

test("a page, a WebSocket, server-sent events and the library cut the same long texts", async () => {
  await using served = await serveLongText();
  const { fairlead, remote, get } = served;
  const page = (await (await get("clip=1000")).json()) as { events: ReadEvent[] };
  expect(page.events.map((event) => event.clipped)).toEqual([undefined, undefined, ...clipped, undefined, undefined]);
  expect(Math.max(...lengthsOf(page.events))).toBeLessThan(3500);
  for (const event of page.events) {
    const { clipped: _, ...short } = event;
    expect(Event.safeParse(short).success).toBe(true);
  }

  const lines = (await (await get("clip=1000", "text/event-stream")).text()).split("\n");
  const frames = lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)) as object);
  expect(frames.flatMap((frame) => ("event" in frame ? [frame.event] : []))).toEqual(page.events);
  for (const follow of [true, false]) {
    expect(await Array.fromAsync(remote.events("s", { clip: 1000, follow }))).toEqual(page.events);
    expect(await Array.fromAsync(fairlead.events("s", { clip: 1000, follow }))).toEqual(page.events);
  }
});

test("the whole event can be read by its number, and a page of any size", async () => {
  await using served = await serveLongText();
  const { fairlead, remote } = served;
  for (const reader of [fairlead, remote]) {
    const read = async (after: number, limit: number): Promise<ReadEvent[]> =>
      (await Array.fromAsync(reader.events("s", { after, limit }))) as ReadEvent[];
    const [whole] = await read(2, 1);
    expect(whole).toMatchObject({ sequence: 3, body: { input: { content: "long ".repeat(10_000) } } });
    expect(whole).not.toHaveProperty("clipped");
    expect((await read(1, 3)).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
    expect(await read(6, 10)).toEqual([]);
  }
});

test("a limit that would cut times, and other invalid numbers, are refused", async () => {
  await using served = await serveLongText();
  const { fairlead, remote, get } = served;
  for (const query of ["clip=99", "clip=0", "clip=x", "clip=1e9", "limit=0"])
    expect((await get(query)).status).toBe(400);
  for (const reader of [fairlead, remote])
    for (const options of [{ clip: 99 }, { clip: 1.5 }, { limit: 0 }, { limit: 5, follow: true }, { after: -1 }])
      await expect(Array.fromAsync(reader.events("s", options))).rejects.toMatchObject({ code: "invalid-request" });
});
