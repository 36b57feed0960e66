import { once } from "node:events";
import { join } from "node:path";
import type { Scope, StartRequest } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import type { Event, HostTool, ToolContext, ToolResult } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import type { LocalFairlead } from "@fairlead/service";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { AccessTokens } from "./access/access-tokens.ts";
import { serveHttp } from "./serve-http.ts";

/** A service at a socket that can be restarted. */
class RestartableService implements AsyncDisposable {
  readonly home = new ServiceTestHome();
  readonly socket = join(this.home.folder, "run", "s");
  #local: LocalFairlead | undefined;
  #http: AsyncDisposable | undefined;

  async start(): Promise<this> {
    this.#local = await this.home.open();
    const tokens = new AccessTokens(new FileTokenStore(this.home.home.tokensFile));
    const { toolPrograms } = this.#local;
    this.#http = await serveHttp({ fairlead: this.#local, socket: this.socket, tokens, toolPrograms });
    return this;
  }

  async stop(): Promise<void> {
    await this.#http?.[Symbol.asyncDispose]();
    if (this.#local) await this.home.close(this.#local);
  }

  client(scopes?: readonly Scope[]): RemoteFairlead {
    return new RemoteFairlead(nodeTransport({ socket: this.socket, ...(scopes && { scopes }) }));
  }

  request(program: string): StartRequest {
    return { agent: "scripted", workspace: this.home.folder, tools: ["note"], toolProgram: program, prompt: callsNote };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http?.[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

const callsNote = withScript("Note.", [{ tools: [{ name: "use", input: { tool: "note", input: { n: 1 } } }] }]);

/** A tool of a program that notes its calls. It answers when `gate` allows it. */
class NotingTool {
  readonly contexts: ToolContext[] = [];
  gate: Promise<unknown> = Promise.resolve();
  readonly #first = Promise.withResolvers<ToolContext>();
  readonly firstCall = this.#first.promise;
  readonly tool: HostTool;

  constructor(answer = "noted", readOnly = false) {
    this.tool = {
      offer: { name: "note", description: "Notes.", inputSchema: { type: "object" }, ...(readOnly && { readOnly }) },
      use: async (input, context): Promise<ToolResult> => {
        this.contexts.push(context);
        this.#first.resolve(context);
        await this.gate;
        return { outcome: "done", text: `${answer} ${JSON.stringify(input)}` };
      },
    };
  }
}

async function readResults(client: RemoteFairlead, session: string): Promise<{ ok: boolean; output: string }[]> {
  const results: Extract<Event["body"], { type: "tool.ended" }>[] = [];
  for await (const one of client.events(session, { follow: true })) {
    if (!("body" in one)) continue;
    if (one.body.type === "tool.ended") results.push(one.body);
    if (one.body.type === "turn.ended") break;
  }
  return results.map(({ ok, output }) => ({ ok, output }));
}

test("an agent calls a tool that a program runs, and each session calls that of its own program", async () => {
  await using service = await new RestartableService().start();
  const client = service.client();
  const [one, other] = [new NotingTool("one"), new NotingTool("other")];
  await using first = await client.offerTools([one.tool]);
  await using second = await service.client().offerTools([other.tool]);
  const { session } = await client.start(service.request(first.program));
  expect(await readResults(client, session)).toEqual([{ ok: true, output: 'one {"n":1}' }]);
  expect(one.contexts).toMatchObject([{ session, key: expect.stringMatching(`^${session}/\\d+$`) }]);
  const { session: next } = await client.start(service.request(second.program));
  expect(await readResults(client, next)).toEqual([{ ok: true, output: 'other {"n":1}' }]);
  expect([one.contexts.length, other.contexts.length]).toEqual([1, 1]);
});

test("a call of a program that is gone fails in words that the agent can read", async () => {
  await using service = await new RestartableService().start();
  const client = service.client();
  const { tool } = new NotingTool();
  const offered = await client.offerTools([tool]);
  const { prompt: _, ...request } = service.request(offered.program);
  const { session } = await client.start(request);
  await offered[Symbol.asyncDispose]();
  await client.send(session, callsNote);
  expect(await readResults(client, session)).toEqual([
    { ok: false, output: "The tool note is not available: the program that runs it is gone." },
  ]);
  await expect(client.start(request)).rejects.toMatchObject({ code: "unavailable" });
});

test("a call that is open when the service restarts is the same call afterwards, and has one result", async () => {
  await using service = await new RestartableService().start();
  const client = service.client();
  const noting = new NotingTool();
  const gate = Promise.withResolvers<void>();
  noting.gate = gate.promise;
  await using offered = await client.offerTools([noting.tool]);
  const { session } = await client.start(service.request(offered.program));
  await noting.firstCall;
  await service.stop();
  await service.start();
  gate.resolve();
  expect(await readResults(client, session)).toEqual([{ ok: true, output: 'noted {"n":1}' }]);
  expect(new Set(noting.contexts.map(({ key }) => key)).size).toBe(1);
});

test("a result that is too long for a message is cut, and the call ends", async () => {
  await using service = await new RestartableService().start();
  const client = service.client();
  const noting = new NotingTool("\u0007".repeat(3_000_000));
  await using offered = await client.offerTools([noting.tool]);
  const { session } = await client.start(service.request(offered.program));
  const [result] = await readResults(client, session);
  expect(result?.ok).toBe(true);
  expect(result?.output.length).toBeLessThan(101_000);
  expect(noting.contexts).toHaveLength(1);
});

test("an interrupt aborts the call in the program", async () => {
  await using service = await new RestartableService().start();
  const client = service.client();
  const noting = new NotingTool();
  noting.gate = new Promise(() => {});
  await using offered = await client.offerTools([noting.tool]);
  const { session } = await client.start(service.request(offered.program));
  const { signal } = await noting.firstCall;
  await client.interrupt(session);
  if (!signal.aborted) await once(signal, "abort");
  expect((await readResults(client, session)).map(({ ok }) => ok)).toEqual([false]);
});

test("a program without the scope approve offers only tools that read, and one without drive offers none", async () => {
  await using service = await new RestartableService().start();
  const driver = service.client(["read", "drive"]);
  await using acting = await driver.offerTools([new NotingTool().tool]);
  await expect(driver.start(service.request(acting.program))).rejects.toMatchObject({ code: "not-allowed" });
  await using reading = await driver.offerTools([new NotingTool("read", true).tool]);
  const { session } = await driver.start(service.request(reading.program));
  expect(await readResults(driver, session)).toEqual([{ ok: true, output: 'read {"n":1}' }]);
  await expect(service.client(["read"]).offerTools([])).rejects.toMatchObject({ code: "not-allowed" });
});

test.each([
  ["no JSON", "{"],
  ["a result before the offer", JSON.stringify({ result: { id: "1", outcome: "done", text: "" } })],
  ["an id that can be guessed", JSON.stringify({ offer: { program: "me", tools: [] } })],
  [
    "a tool that asks a person",
    JSON.stringify({
      offer: { program: "x".repeat(22), tools: [{ name: "a", description: "d", inputSchema: {}, asks: true }] },
    }),
  ],
])("a connection that begins with %s is closed with the reason", async (_what, message) => {
  await using service = await new RestartableService().start();
  const socket = new WebSocket(`ws+unix:${service.socket}:/v1/tools`, ["fairlead.v1"], {
    headers: { host: "localhost" },
  });
  await once(socket, "open");
  const reply = once(socket, "message");
  const closed = once(socket, "close");
  socket.send(message);
  expect(JSON.parse(String(((await reply) as [Buffer])[0]))).toMatchObject({ problem: { code: "invalid-request" } });
  expect(((await closed) as [number])[0]).toBe(4000);
});
