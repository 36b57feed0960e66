import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fairlead, listSessions, type Route, routes } from "@fairlead/api";
import { browserTransport, RemoteFairlead, type Transport } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { type ErrorCode, type Event, FairleadError } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { type HttpService, serveHttp } from "./serve-http.ts";
import { AccessTokens } from "./access/access-tokens.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
const pollOptions = { timeout: 20_000 };
const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

/** Serves real sessions at a socket and a port, and creates clients for them. */
class RemoteTestServer implements AsyncDisposable {
  readonly testHome = new ServiceTestHome();
  readonly socket = join(this.testHome.folder, "run", "f.sock");
  readonly tokens = new AccessTokens(new FileTokenStore(join(this.testHome.folder, "tokens.json")));
  #service: HttpService | undefined;
  #close = async (): Promise<void> => {};

  async open(): Promise<HttpService> {
    const fairlead = await this.testHome.open();
    this.#service = await serveHttp({ fairlead, tokens: this.tokens, socket: this.socket, port: 0 });
    this.#close = () => this.testHome.close(fairlead);
    return this.#service;
  }

  remote(retryTimeoutMs?: number): RemoteFairlead {
    return new RemoteFairlead(
      nodeTransport({ socket: this.socket }),
      retryTimeoutMs === undefined ? {} : { retryTimeoutMs },
    );
  }

  async close(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.testHome[Symbol.asyncDispose]();
  }
}

async function followUntil(
  fairlead: Fairlead,
  session: string,
  type: Event["body"]["type"],
  after = 0,
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of fairlead.events(session, { follow: true, after })) {
    if (!("body" in event)) continue;
    events.push(event);
    if (event.body.type === type) break;
  }
  return events;
}

describe("Fairlead over HTTP", () => {
  test("behaves as in the same process: every call, every reply by its schema, every error by its code", async () => {
    await using server = new RemoteTestServer();
    await server.open();
    const remote = server.remote();
    const { session } = await remote.start({ workspace: server.testHome.folder, name: "far", prompt: hello });
    const events = await followUntil(remote, "far", "turn.ended");
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect((await Array.fromAsync(remote.events(session))).slice(0, events.length)).toEqual(events);

    const transport = nodeTransport({ socket: server.socket });
    for (const [name, route] of Object.entries<Route>(routes)) {
      if (route.args === null || route.method !== "GET") continue;
      if (route.query?.safeParse({}).success === false) continue; // it is about a run
      const response = await transport.fetch(route.path.replace(":session", session), { method: "GET", headers: {} });
      if (response.status === 422) continue; // this session does not support the route
      expect(route.reply!.safeParse(await response.json()), name).toMatchObject({ success: true });
    }

    await expect(remote.session("unknown")).rejects.toSatisfy(withCode("session-not-found"));
    await expect(remote.session("../health")).rejects.toSatisfy(withCode("session-not-found"));
    await expect(followUntil(remote, "unknown", "turn.ended")).rejects.toSatisfy(withCode("session-not-found"));
    await expect(remote.start({ workspace: "/", agent: "no-such" })).rejects.toSatisfy(withCode("unknown-agent"));
    const { turn } = await remote.send(session, hello, { key: "one" });
    expect(await remote.send(session, hello, { key: "one" })).toEqual({ turn });
    await expect(remote.send(session, "else", { key: "one" })).rejects.toSatisfy(withCode("conflict"));
    await expect(remote.forget(session)).rejects.toSatisfy(withCode("conflict"));
    expect(await remote.stop(session)).toMatchObject({ session, state: "ended" });
    await expect(remote.steer(session, "now")).rejects.toSatisfy(withCode("session-ended"));
    await remote.forget(session);
    await expect(remote.session(session)).rejects.toSatisfy(withCode("session-not-found"));
  });

  test("gives a browser client exactly the scopes of its token", async () => {
    await using server = new RemoteTestServer();
    const { url } = await server.open();
    const driver = await server.tokens.issue({ label: "driver", scopes: ["read", "drive"] });
    const remote = new RemoteFairlead(browserTransport(url!, driver));
    const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
    const { session } = await remote.start({ workspace: server.testHome.folder, prompt: ask });
    await followUntil(remote, session, "decision.requested");
    const [decision] = await remote.decisions();
    const allow = { type: "allow" } as const;
    await expect(remote.answer(session, decision!.decision, allow)).rejects.toSatisfy(withCode("not-allowed"));
    expect(await remote.decisions()).toHaveLength(1);
    await server.remote().answer(session, decision!.decision, allow);
    await followUntil(remote, session, "turn.ended");
  });

  test("streams deltas to clients that request them", async () => {
    await using server = new RemoteTestServer();
    await server.open();
    const remote = server.remote();
    const { session } = await remote.start({ workspace: server.testHome.folder });
    let text = "";
    await remote.send(session, withScript("Count.", [{ text: "one two three four", chunks: 4, chunkDelay: 50 }]));
    for await (const item of remote.events(session, { follow: true, deltas: true })) {
      if ("text" in item) text += item.text;
      else if ("body" in item && item.body.type === "text.ended") break;
    }
    expect("one two three four".endsWith(text) && text !== "").toBe(true);
  });

  test("continues a stream across service restarts, without gaps or duplicates", async () => {
    await using server = new RemoteTestServer();
    await server.open();
    const remote = server.remote();
    const { session } = await remote.start({ workspace: server.testHome.folder, prompt: hello });
    const received: Event[] = [];
    const following = (async () => {
      for await (const event of remote.events(session, { follow: true })) if ("body" in event) received.push(event);
    })();
    await expect.poll(() => received.at(-1)?.body.type, pollOptions).toBe("turn.ended");
    for (const turns of [2, 3]) {
      await server.close();
      await server.open();
      await remote.send(session, hello);
      await expect
        .poll(() => received.filter(({ body }) => body.type === "turn.ended").length, pollOptions)
        .toBe(turns);
    }
    await remote.stop(session);
    await following;
    expect(received).toEqual(await Array.fromAsync(remote.events(session)));
    expect(received.map(({ sequence }) => sequence)).toEqual(received.map((_, index) => index + 1));
  });

  test("retries a command under the same key if the response was lost, and the service runs it once", async () => {
    await using server = new RemoteTestServer();
    await server.open();
    const transport = nodeTransport({ socket: server.socket });
    let responsesToLose = 2;
    const lossy: Transport = {
      ...transport,
      fetch: async (path, request) => {
        const response = await transport.fetch(path, request);
        if (request.method === "GET" || responsesToLose-- <= 0) return response;
        return await nodeTransport({ socket: "nowhere.sock" }).fetch(path, request); // fails like a lost connection
      },
    };
    const remote = new RemoteFairlead(lossy);
    const { session } = await remote.start({ workspace: server.testHome.folder });
    expect((await remote.sessions()).sessions).toHaveLength(1);
    responsesToLose = 2;
    await remote.send(session, hello);
    await remote.stop(session);
    const events = (await Array.fromAsync(remote.events(session))) as Event[];
    expect(events.filter(({ body }) => body.type === "turn.started")).toHaveLength(1);
  });
});

test("a client reads pages of sessions, and an invalid query or cursor is refused with 400", async () => {
  await using server = new RemoteTestServer();
  const states = ["ended", "paused", "ended", "ended", "paused"] as const;
  await server.testHome.writeHistories(
    states.map((state, index) => ({ session: `s${index}`, state, at: index * 1000 })),
  );
  const { url } = await server.open();
  const remote = server.remote();
  expect((await remote.sessions()).sessions).toHaveLength(5);
  const ended = await Array.fromAsync(listSessions(remote, { state: ["ended", "lost"], limit: 1 }));
  expect(ended.map(({ session }) => session)).toEqual(["s3", "s2", "s0"]);
  const first = await remote.sessions({ limit: 2, order: "session" });
  expect(first.sessions.map(({ session }) => session)).toEqual(["s0", "s1"]);
  await expect(remote.sessions({ cursor: first.next! })).rejects.toSatisfy(withCode("invalid-request"));

  const headers = { authorization: `Bearer ${await server.tokens.issue({ label: "reader", scopes: ["read"] })}` };
  for (const search of [
    "cursor=x",
    "cursor=",
    "state=asleep",
    "state=",
    "limit=0",
    "limit=many",
    "since=now",
    "page=2",
  ]) {
    const response = await fetch(`${url}/v1/sessions?${search}`, { headers });
    expect({ search, status: response.status, ...((await response.json()) as object) }).toMatchObject({
      search,
      status: 400,
      code: "invalid-request",
    });
  }
});

describe("a client", () => {
  test("fails on a gap in the sequence", async () => {
    const transport: Transport = {
      fetch: () => Promise.reject(new Error("not used")),
      open: async function* () {
        for (const sequence of [1, 2, 4]) {
          yield JSON.stringify({ event: { sequence, session: "s", body: { type: "text.ended" } } });
        }
      },
      connect: () => {
        throw new Error("not used");
      },
    };
    const following = Array.fromAsync(new RemoteFairlead(transport).events("s", { follow: true }));
    await expect(following).rejects.toSatisfy(withCode("corrupt"));
  });

  test("retries an absent service until its timeout, and does not retry a rejection", async () => {
    await using server = await TestServer.open();
    const absentService = new RemoteFairlead(nodeTransport({ socket: server.socket }), { retryTimeoutMs: 200 });
    await expect(absentService.health()).rejects.toSatisfy(withCode("unavailable"));
    await expect(followUntil(absentService, "s", "turn.ended")).rejects.toSatisfy(withCode("unavailable"));
    const { url } = await server.serve({ port: 0 });
    const unauthorized = new RemoteFairlead(nodeTransport({ url: url!, token: "wrong" }), { retryTimeoutMs: 1e9 });
    await expect(unauthorized.health()).rejects.toSatisfy(withCode("not-allowed"));
    await expect(followUntil(unauthorized, "s", "turn.ended")).rejects.toSatisfy(withCode("not-allowed"));
  });

  test("that follows continues after its token could not be checked for a while", async () => {
    await using server = await TestServer.open();
    let refused = 0;
    const onResponse = (_: string, status: number): void => void (refused += status === 503 ? 1 : 0);
    const httpObserver = { onResponse, onFollow: () => ({ [Symbol.dispose]: () => {} }) };
    const { url } = await server.serve({ port: 0, httpObserver });
    const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
    const transport = nodeTransport({ url: url!, token });
    const reasons: string[] = [];
    const remote = new RemoteFairlead(transport, { onRetry: (reason) => reasons.push(reason) });
    await server.appendEvents(2);
    const sequences: number[] = [];
    const following = (async () => {
      for await (const one of remote.events(server.session, { follow: true }))
        if ("body" in one) sequences.push(one.sequence);
    })();
    await expect.poll(() => sequences, pollOptions).toEqual([1, 2]);
    const file = join(server.folder, "tokens.json");
    const tokens = readFileSync(file);
    writeFileSync(file, "[{}]");
    await expect.poll(() => refused, pollOptions).toBeGreaterThan(1);
    const refusal = await Array.fromAsync(transport.open("/v1/sessions/x/events", AbortSignal.timeout(10_000))).catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ name: "ServiceUnavailable" });
    await server.appendEvents(1);
    writeFileSync(file, tokens);
    await server.endSession();
    await following;
    expect(sequences).toEqual([1, 2, 3, 4]);
    expect(reasons).toEqual([expect.stringContaining("tokens cannot be checked now")]);
  });

  test("that falls behind is disconnected, and reconnects for the rest", async () => {
    await using server = await TestServer.open();
    await server.serve({ socket: server.socket, limits: { stall: 500 } });
    await server.appendEvents(20_000, 1000);
    await server.endSession();
    const remote = new RemoteFairlead(nodeTransport({ socket: server.socket }));
    const events = remote.events(server.session, { follow: true })[Symbol.asyncIterator]();
    await events.next();
    await expect.poll(() => server.activeReaders, pollOptions).toBe(0);
    expect(server.eventsRead).toBeLessThan(15_000);
    let last = 1;
    for await (const event of { [Symbol.asyncIterator]: () => events }) last = (event as Event).sequence;
    expect(last).toBe(20_001);
  });

  test("that stops following closes its stream, so that its process can exit", async () => {
    await using server = await TestServer.open();
    await server.serve({ socket: server.socket });
    await server.appendEvents(5000, 1000);
    const program = `
      import { RemoteFairlead } from "@fairlead/client";
      import { nodeTransport } from "@fairlead/client/node";
      const remote = new RemoteFairlead(nodeTransport({ socket: process.argv[1] }));
      for await (const event of remote.events("${server.session}", { follow: true })) if (event.sequence === 3) break;
    `;
    const cwd = import.meta.dirname;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, server.socket], {
      cwd,
      stdio: "inherit",
    });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    expect(code).toBe(0);
    await expect.poll(() => server.activeReaders, pollOptions).toBe(0);
  });
});
