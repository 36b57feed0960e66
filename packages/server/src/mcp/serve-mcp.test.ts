import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import type { EventReadOptions, Fairlead, SessionView } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { serveMcp } from "./serve-mcp.ts";

/** Serves MCP in this process, and connects clients to it as over the standard streams of a process. */
class McpTest implements AsyncDisposable {
  readonly home = new ServiceTestHome();
  readonly workspace = join(this.home.folder, "w");
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly lines = createInterface({ input: this.output });
  #served: Promise<void> = Promise.resolve();
  #fairlead: Fairlead | undefined;

  static async open(options: { readonly readOnly?: boolean; readonly wrap?: (fairlead: Fairlead) => Fairlead } = {}) {
    const test = new McpTest();
    mkdirSync(test.workspace);
    const fairlead = await test.home.open();
    test.#fairlead = fairlead;
    const { workspace, input, output } = test;
    const { wrap = (one) => one, readOnly = false } = options;
    test.#served = serveMcp({ fairlead: wrap(fairlead), workspace, version: "1.2.3", readOnly, input, output });
    return test;
  }

  get fairlead(): Fairlead {
    if (this.#fairlead === undefined) throw new Error("Nothing is open.");
    return this.#fairlead;
  }

  /** Resolves when the server has returned. */
  get served(): Promise<void> {
    return this.#served;
  }

  async connect(mode: "legacy" | { readonly pin: string } = "legacy"): Promise<Client> {
    const { input, lines } = this;
    const transport: Transport = {
      start: async () => {
        lines.on("line", (line) => transport.onmessage?.(JSON.parse(line) as JSONRPCMessage));
      },
      send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
      close: async () => {
        input.end();
        transport.onclose?.();
      },
    };
    const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } });
    await client.connect(transport);
    return client;
  }

  /** Sends a line and returns the next line of the server. */
  async exchange(message: object): Promise<unknown> {
    const answered = once(this.lines, "line");
    this.input.write(`${JSON.stringify(message)}\n`);
    return JSON.parse(((await answered) as [string])[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.input.end();
    await this.served;
    await this.home[Symbol.asyncDispose]();
  }
}

async function call(client: Client, name: string, input: object, signal?: AbortSignal) {
  const request = { name, arguments: { ...input } };
  const { content, isError = false } = await client.callTool(request, signal ? { signal } : {});
  const [first] = content as { text: string }[];
  return { text: first?.text ?? "", isError };
}

async function start(client: Client, prompt: string): Promise<string> {
  const { text } = await call(client, "start_session", { agent: "scripted", prompt });
  return (JSON.parse(text) as SessionView).session;
}

const say = (text: string): string => withScript("Say it.", [{ text }]);
const hangs = withScript("Hang.", [{ text: "I begin." }, { hang: true }]);

test.each([
  ["with initialize", "legacy" as const, "2025-11-25"],
  ["of 2026-07-28, without initialize", { pin: "2026-07-28" }, "2026-07-28"],
])("serves a client %s", async (_era, mode, version) => {
  await using mcp = await McpTest.open();
  const client = await mcp.connect(mode);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  expect(client.getServerVersion()).toMatchObject({ name: "fairlead", version: "1.2.3" });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "start_session",
    "send",
    "wait",
    "read_diff",
    "list_sessions",
    "stop_session",
  ]);
  expect(tools[2]).toMatchObject({ annotations: { readOnlyHint: true }, inputSchema: { required: ["session"] } });
  const session = await start(client, say("One."));
  expect(await mcp.fairlead.session(session)).toMatchObject({ workspace: mcp.workspace, mode: "default" });
  expect((await call(client, "wait", { session })).text).toContain("One.");
  await call(client, "send", { session, text: say("Two.") });
  expect((await call(client, "wait", { session })).text).toContain("Two.");
  expect((await call(client, "read_diff", { session })).text).toContain("The session changed no file");
  expect((await call(client, "list_sessions", {})).text).toContain(session);
  expect(await call(client, "stop_session", { session })).toEqual({
    text: `Session ${session} has ended: stopped.`,
    isError: false,
  });
  expect(await call(client, "wait", { session: "unknown" })).toMatchObject({ isError: true });
});

test("offers only reading tools if it is read-only, and runs no other", async () => {
  await using mcp = await McpTest.open({ readOnly: true });
  const client = await mcp.connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["wait", "read_diff", "list_sessions"]);
  for (const name of ["start_session", "answer", "constructor"]) {
    const result = await call(client, name, { agent: "scripted", prompt: "x" });
    expect(result).toEqual({ text: `There is no tool ${name}.`, isError: true });
  }
  expect((await mcp.fairlead.sessions()).sessions).toEqual([]);
});

test("a canceled request ends the wait", async () => {
  const signals: AbortSignal[] = [];
  const following = Promise.withResolvers<void>();
  const wrap = (fairlead: Fairlead): Fairlead =>
    Object.assign(Object.create(fairlead) as Fairlead, {
      session: (id: string) => fairlead.session(id),
      events: (id: string, options: EventReadOptions = {}) => {
        if (options.signal) signals.push(options.signal);
        following.resolve();
        return fairlead.events(id, options);
      },
    });
  await using mcp = await McpTest.open({ wrap });
  const client = await mcp.connect();
  const { session } = await mcp.fairlead.start({ agent: "scripted", workspace: mcp.workspace, prompt: hangs });
  const abort = new AbortController();
  const waiting = call(client, "wait", { session, timeout_seconds: 600 }, abort.signal);
  await following.promise;
  abort.abort();
  await expect(waiting).rejects.toThrow();
  const [signal] = signals;
  if (signal?.aborted === false) await once(signal, "abort");
  expect(signal?.aborted).toBe(true);
});

test("the end of the input ends the server and not the session", async () => {
  await using mcp = await McpTest.open();
  const client = await mcp.connect();
  const session = await start(client, hangs);
  await collectEventsUntil(mcp.fairlead as Parameters<typeof collectEventsUntil>[0], session, "text.ended");
  const waiting = call(client, "wait", { session, timeout_seconds: 600 }).catch(() => "closed");
  await client.close();
  await mcp.served;
  expect(await waiting).toBe("closed");
  expect(await mcp.fairlead.session(session)).toMatchObject({ state: "working" });
});

test("a request id that is used again is another call", async () => {
  await using mcp = await McpTest.open();
  const { session } = await mcp.fairlead.start({ agent: "scripted", workspace: mcp.workspace });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } };
  await mcp.exchange({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  mcp.input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  for (const text of [say("One."), say("Two."), say("Two.")]) {
    const send = { name: "send", arguments: { session, text } };
    const answer = await mcp.exchange({ jsonrpc: "2.0", id: 7, method: "tools/call", params: send });
    expect(answer).toMatchObject({ id: 7, result: { content: [{ type: "text" }] } });
    const wait = { name: "wait", arguments: { session } };
    await mcp.exchange({ jsonrpc: "2.0", id: 7, method: "tools/call", params: wait });
  }
  expect(await mcp.fairlead.session(session)).toMatchObject({ turns: 3 });
});

test("more than 64 calls at the same time are refused in words", async () => {
  await using mcp = await McpTest.open();
  const client = await mcp.connect();
  const session = await start(client, hangs);
  const abort = new AbortController();
  const waits = Array.from({ length: 64 }, () =>
    call(client, "wait", { session, timeout_seconds: 600 }, abort.signal).catch(() => "canceled"),
  );
  expect(await call(client, "list_sessions", {})).toEqual({
    text: "64 calls are running. Wait for one of them, and call again.",
    isError: true,
  });
  abort.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["canceled"]));
});

test("a line that is not a message does not end the server", async () => {
  await using mcp = await McpTest.open();
  mcp.input.write("not JSON\n[]\nnull\n{}\n");
  const client = await mcp.connect();
  expect((await client.listTools()).tools).toHaveLength(6);
});
