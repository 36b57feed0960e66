import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { openLab, type Lab } from "./lab.ts";
import { script } from "./script.ts";
import type { Step } from "./step.ts";

async function ask(
  lab: Lab,
  step: Step,
  { stream = true, tools = [{ name: "Read" }], signal = new AbortController().signal } = {},
) {
  const body = JSON.stringify({
    model: "some-model",
    stream,
    tools,
    messages: [{ role: "user", content: script([step]) }],
  });
  return fetch(`${lab.url}/v1/messages?beta=true`, { method: "POST", body, signal });
}

const refused = { cause: { code: "ECONNREFUSED" } };

test("streams an answer, and records the request and the usage it stated", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { text: "hello" });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  expect(answer.headers.get("connection")).toBe("close");
  const events = (await answer.text()).split("\n\n").filter((block) => block !== "");
  expect(events.at(0)).toMatch(/^event: message_start\ndata: \{"type":"message_start",/);
  expect(events.at(-1)).toBe('event: message_stop\ndata: {"type":"message_stop"}');
  expect(lab.requests).toMatchObject([{ method: "POST", path: "/v1/messages", body: { model: "some-model" } }]);
  const usage = { input: 101, cacheRead: 21, cacheWrite: 11, output: 51 };
  expect(lab.served).toEqual([{ api: "anthropic-messages", model: "some-model", ...usage, complete: true }]);
});

test("answers in one piece, with other numbers for each request", async () => {
  await using lab = await openLab();
  const first = await ask(lab, { text: "hello" }, { stream: false });
  expect(await first.json()).toMatchObject({ content: [{ text: "hello" }], usage: { input_tokens: 101 } });
  const second = await ask(lab, { text: "hello", usage: { output: 7 } }, { stream: false });
  expect(await second.json()).toMatchObject({ usage: { input_tokens: 102, output_tokens: 7 } });
  expect(lab.served.map(({ input, output }) => [input, output])).toEqual([
    [101, 51],
    [102, 7],
  ]);
});

test("a request without tools is served too, but not from the script", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { text: "hello" }, { stream: false, tools: [] });
  expect(await answer.text()).not.toContain("hello");
  expect(lab.served).toHaveLength(1);
});

test("an error has its status, headers and body, and serves nothing", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { error: { status: 429, message: "slower", headers: { "retry-after": "3" } } });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "3"]);
  expect(await answer.json()).toMatchObject({ error: { type: "rate_limit_error", message: "slower" } });
  expect(lab.served).toEqual([]);
});

test("a cut stream has its first delta, breaks, and is recorded as stated so far", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { text: "abcdef", cut: true });
  let heard = "";
  const reading = (async () => {
    for await (const chunk of answer.body!) heard += new TextDecoder().decode(chunk);
  })();
  await expect(reading).rejects.toThrow("terminated");
  expect(heard).toContain('"text":"ab"');
  expect(heard).not.toContain('"text":"cd"');
  expect(lab.served).toMatchObject([{ input: 101, output: 1, complete: false }]);
});

test("a cut answer in one piece is none at all", async () => {
  await using lab = await openLab();
  await expect(ask(lab, { text: "abcdef", cut: true }, { stream: false })).rejects.toThrow("fetch failed");
  expect(lab.served).toEqual([]);
});

test("a hung stream is opened and kept alive until the client leaves", async () => {
  await using lab = await openLab();
  const leaving = new AbortController();
  const answer = await ask(lab, { hang: true, text: "never" }, { signal: leaving.signal });
  let heard = "";
  for await (const chunk of answer.body!) {
    heard += new TextDecoder().decode(chunk);
    if (heard.includes("event: ping")) break;
  }
  leaving.abort();
  expect(heard.split("\n\n").map((block) => block.split("\n")[0])).toEqual(["event: message_start", "event: ping", ""]);
  expect(lab.served).toMatchObject([{ output: 1, complete: false }]);
});

test("keeps the pace that a step asks for", async () => {
  await using lab = await openLab();
  const begun = performance.now();
  await (await ask(lab, { text: "abcd", delay: 60, chunks: 4, chunkDelay: 30 })).text();
  expect(performance.now() - begun).toBeGreaterThan(170);
});

test("counts tokens, and knows nothing else", async () => {
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

test("refuses and accepts again at the same address, while an answer under way goes on", async () => {
  await using lab = await openLab();
  const underWay = await ask(lab, { text: "abcdef", chunkDelay: 50 });
  lab.refuse();
  await expect(ask(lab, { text: "hello" })).rejects.toMatchObject(refused);
  expect(await underWay.text()).toContain("message_stop");
  // The connection of the answer that has just ended must not serve for another.
  await expect(ask(lab, { text: "hello" })).rejects.toMatchObject(refused);
  await lab.accept();
  expect((await ask(lab, { text: "hello" })).status).toBe(200);
});

test("disposing ends open connections and frees the port", async () => {
  const lab = await openLab();
  const answer = await ask(lab, { hang: true });
  await lab[Symbol.asyncDispose]();
  await expect(answer.text()).rejects.toThrow("terminated");
  const [error] = (await once(connect(Number(new URL(lab.url).port), "127.0.0.1"), "error")) as [{ code: string }];
  expect(error.code).toBe("ECONNREFUSED");
});

test("disposing works after refusing", async () => {
  const lab = await openLab();
  lab.refuse();
  await lab[Symbol.asyncDispose]();
});
