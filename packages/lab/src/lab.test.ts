import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { openLab, type Lab } from "./lab.ts";
import { scriptPrompt, type ScriptStep } from "./script.ts";

async function sendStep(
  lab: Lab,
  step: ScriptStep,
  { stream = true, tools = [{ name: "Read" }], signal = new AbortController().signal } = {},
) {
  const body = JSON.stringify({
    model: "some-model",
    stream,
    tools,
    messages: [{ role: "user", content: scriptPrompt([step]) }],
  });
  return fetch(`${lab.url}/v1/messages?beta=true`, { method: "POST", body, signal });
}

const connectionRefused = { cause: { code: "ECONNREFUSED" } };

test("streams an answer and records the request and the usage", async () => {
  await using lab = await openLab();
  const answer = await sendStep(lab, { text: "hello" });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  expect(answer.headers.get("connection")).toBe("close");
  const events = (await answer.text()).split("\n\n").filter((block) => block !== "");
  expect(events.at(0)).toMatch(/^event: message_start\ndata: \{"type":"message_start",/);
  expect(events.at(-1)).toBe('event: message_stop\ndata: {"type":"message_stop"}');
  expect(lab.requests).toMatchObject([{ method: "POST", path: "/v1/messages", body: { model: "some-model" } }]);
  const usage = { input: 101, cacheRead: 21, cacheWrite: 11, output: 51 };
  expect(lab.servedAnswers).toEqual([
    { api: "anthropic-messages", model: "some-model", ...usage, auxiliary: false, complete: true },
  ]);
});

test("answers without streaming, with different usage for each request", async () => {
  await using lab = await openLab();
  const first = await sendStep(lab, { text: "hello" }, { stream: false });
  expect(await first.json()).toMatchObject({ content: [{ text: "hello" }], usage: { input_tokens: 101 } });
  const second = await sendStep(lab, { text: "hello", usage: { output: 7 } }, { stream: false });
  expect(await second.json()).toMatchObject({ usage: { input_tokens: 102, output_tokens: 7 } });
  expect(lab.servedAnswers.map(({ input, output }) => [input, output])).toEqual([
    [101, 51],
    [102, 7],
  ]);
});

test("answers a request without tools, but not from the script", async () => {
  await using lab = await openLab();
  const answer = await sendStep(lab, { text: "hello" }, { stream: false, tools: [] });
  expect(await answer.text()).not.toContain("hello");
  expect(lab.servedAnswers).toHaveLength(1);
});

test("sends an error with its status, headers and body, and records no usage", async () => {
  await using lab = await openLab();
  const answer = await sendStep(lab, { error: { status: 429, message: "slower", headers: { "retry-after": "3" } } });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "3"]);
  expect(await answer.json()).toMatchObject({ error: { type: "rate_limit_error", message: "slower" } });
  expect(lab.servedAnswers).toEqual([]);
});

test("cuts a stream after its first delta and records the usage sent so far", async () => {
  await using lab = await openLab();
  const answer = await sendStep(lab, { text: "abcdef", cut: true });
  let received = "";
  const reading = (async () => {
    for await (const chunk of answer.body!) received += new TextDecoder().decode(chunk);
  })();
  await expect(reading).rejects.toThrow("terminated");
  expect(received).toContain('"text":"ab"');
  expect(received).not.toContain('"text":"cd"');
  expect(lab.servedAnswers).toMatchObject([{ input: 101, output: 1, complete: false }]);
});

test("sends nothing if an answer that is not streamed is cut", async () => {
  await using lab = await openLab();
  await expect(sendStep(lab, { text: "abcdef", cut: true }, { stream: false })).rejects.toThrow("fetch failed");
  expect(lab.servedAnswers).toEqual([]);
});

test("keeps a hanging stream alive until the client disconnects", async () => {
  await using lab = await openLab();
  const disconnect = new AbortController();
  const answer = await sendStep(lab, { hang: true, text: "never" }, { signal: disconnect.signal });
  let received = "";
  for await (const chunk of answer.body!) {
    received += new TextDecoder().decode(chunk);
    if (received.includes("event: ping")) break;
  }
  disconnect.abort();
  expect(received.split("\n\n").map((block) => block.split("\n")[0])).toEqual([
    "event: message_start",
    "event: ping",
    "",
  ]);
  expect(lab.servedAnswers).toMatchObject([{ output: 1, complete: false }]);
});

test("waits for the scripted delays", async () => {
  await using lab = await openLab();
  const startedAt = performance.now();
  await (await sendStep(lab, { text: "abcd", delay: 60, chunks: 4, chunkDelay: 30 })).text();
  expect(performance.now() - startedAt).toBeGreaterThan(170);
});

test("answers a token count, and 404 for unknown paths", async () => {
  await using lab = await openLab();
  const count = await fetch(`${lab.url}/v1/messages/count_tokens`, { method: "POST", body: "{}" });
  expect(await count.json()).toEqual({ input_tokens: 100 });
  expect((await fetch(`${lab.url}/api/hello`, { method: "HEAD" })).status).toBe(404);
  const missing = await fetch(`${lab.url}/v1/messages`);
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ error: { message: "The lab has no GET /v1/messages." } });
  expect(lab.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/messages/count_tokens",
    "HEAD /api/hello",
    "GET /v1/messages",
  ]);
});

test("refuses and accepts connections on the same port, and completes an answer in progress", async () => {
  await using lab = await openLab();
  const inProgress = await sendStep(lab, { text: "abcdef", chunkDelay: 50 });
  lab.refuse();
  await expect(sendStep(lab, { text: "hello" })).rejects.toMatchObject(connectionRefused);
  expect(await inProgress.text()).toContain("message_stop");
  // The client must not reuse the connection of the completed answer.
  await expect(sendStep(lab, { text: "hello" })).rejects.toMatchObject(connectionRefused);
  await lab.accept();
  expect((await sendStep(lab, { text: "hello" })).status).toBe(200);
});

test("closes open connections and the port on dispose", async () => {
  const lab = await openLab();
  const answer = await sendStep(lab, { hang: true });
  await lab[Symbol.asyncDispose]();
  await expect(answer.text()).rejects.toThrow("terminated");
  const [error] = (await once(connect(Number(new URL(lab.url).port), "127.0.0.1"), "error")) as [{ code: string }];
  expect(error.code).toBe("ECONNREFUSED");
});

test("can be disposed while it refuses connections", async () => {
  const lab = await openLab();
  lab.refuse();
  await lab[Symbol.asyncDispose]();
});

test("refuses a web socket with the status that makes a client use HTTP", async () => {
  await using lab = await openLab();
  const socket = connect(Number(new URL(lab.url).port), "127.0.0.1");
  socket.write("GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1.1 426 /);
  socket.destroy();
});

test("reports a quota in the vendor's headers, and refuses requests until the reset of one that is reached", async () => {
  await using lab = await openLab();
  const report = { used: 0.9, windowMinutes: 10_080, resetsAt: "2100-01-01T00:00:00.000Z" };
  const served = await sendStep(lab, { text: "hello", quota: report });
  expect(served.status).toBe(200);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    "anthropic-ratelimit-unified-status": "allowed_warning",
    "anthropic-ratelimit-unified-representative-claim": "seven_day",
    "anthropic-ratelimit-unified-reset": "4102444800",
    "anthropic-ratelimit-unified-7d-utilization": "0.9",
  });
  const refused = await sendStep(lab, { text: "hello", quota: { ...report, used: 1, reached: true } });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("anthropic-ratelimit-unified-status")).toBe("rejected");
  expect(await refused.json()).toMatchObject({ error: { type: "rate_limit_error" } });
  const past = new Date(Date.now() - 60_000).toISOString();
  const reset = await sendStep(lab, { text: "hello", quota: { ...report, resetsAt: past, reached: true } });
  expect(reset.status).toBe(200);
  expect(reset.headers.get("anthropic-ratelimit-unified-7d-utilization")).toBe("0");
  expect(Number(reset.headers.get("anthropic-ratelimit-unified-reset")) * 1000).toBeGreaterThan(Date.now());
});
