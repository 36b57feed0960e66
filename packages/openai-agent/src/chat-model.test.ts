import { openLab, scriptPrompt, type Lab, type ScriptStep } from "@fairlead/lab";
import { expect, test } from "vitest";
import type { ModelAnswer } from "./model-answer.ts";
import { ChatModel } from "./chat-model.ts";
import { readSettings, type OpenAiAgentSettings } from "./settings.ts";
import { agentTools } from "./run-turn.ts";

interface AskOptions {
  readonly settings?: Partial<OpenAiAgentSettings>;
  readonly turn?: AbortController;
  readonly onText?: (text: string) => void;
}

async function askModel(
  lab: Lab,
  step: ScriptStep,
  { settings, turn = new AbortController(), onText }: AskOptions = {},
): Promise<ModelAnswer> {
  const defaultSettings = readSettings(
    ["--base-url", `${lab.url}/v1`, "--model", "some-model"],
    {},
  ) as OpenAiAgentSettings;
  return new ChatModel({ ...defaultSettings, retryDeadline: 5000, ...settings }).ask({
    system: "Be brief.",
    history: [{ role: "user", content: scriptPrompt([step]) }],
    tools: agentTools,
    signal: turn.signal,
    onPiece: async ({ text }) => onText?.(text),
  });
}

test("assembles an answer from its pieces, with its token counts", async () => {
  await using lab = await openLab();
  const pieces: string[] = [];
  const toolCall = { name: "read_file", input: { path: "a.txt" } };
  const answer = await askModel(
    lab,
    { text: "Hello there.", tools: [toolCall, toolCall] },
    { onText: (text) => pieces.push(text) },
  );
  expect(pieces.join("")).toBe("Hello there.");
  expect(answer.toMessage()).toMatchObject({
    content: "Hello there.",
    tool_calls: [
      { function: { name: "read_file", arguments: '{"path":"a.txt"}' } },
      { function: { name: "read_file", arguments: '{"path":"a.txt"}' } },
    ],
  });
  expect(answer.tokens).toMatchObject({ inputTokens: 101, cachedReadTokens: 21, outputTokens: 51 });
});

test("sends the key, and no authorization header without one", async () => {
  await using lab = await openLab();
  await askModel(lab, { text: "Yes." });
  await askModel(lab, { text: "Yes." }, { settings: { apiKey: "a-key" } });
  expect(lab.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer a-key"]);
});

test("retries after a server error", async () => {
  await using lab = await openLab();
  const answer = await askModel(lab, { error: { status: 500, times: 2 } });
  expect(answer.text).toBe("recovered");
  expect(lab.requests).toHaveLength(3);
});

test("waits for the time in retry-after before it retries", async () => {
  await using lab = await openLab();
  const startedAt = performance.now();
  await askModel(lab, { error: { status: 429, times: 1, headers: { "retry-after": "1" } } });
  expect(performance.now() - startedAt).toBeGreaterThan(990);
});

test("fails at once when retry-after is later than the deadline", async () => {
  await using lab = await openLab();
  const startedAt = performance.now();
  const request = askModel(lab, { error: { status: 429, headers: { "retry-after": "60" } } });
  await expect(request).rejects.toMatchObject({ status: 429 });
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test.each([400, 401, 403, 404])("does not retry after a %i", async (status) => {
  await using lab = await openLab();
  await expect(askModel(lab, { error: { status } })).rejects.toMatchObject({ name: "ModelFailed", status });
  expect(lab.requests).toHaveLength(1);
});

test("reports a permanent failure within the deadline", async () => {
  await using lab = await openLab();
  const request = askModel(lab, { error: { status: 500 } }, { settings: { retryDeadline: 1000 } });
  await expect(request).rejects.toMatchObject({ status: 500 });
});

test("times out when the model hangs with an open connection", async () => {
  await using lab = await openLab();
  const request = askModel(lab, { text: "never", hang: true }, { settings: { retryDeadline: 2500 } });
  await expect(request).rejects.toThrow("timed out");
});

test("waits for a slow model that keeps sending text", async () => {
  await using lab = await openLab();
  const slow: ScriptStep = { text: "one two three four", chunks: 4, chunkDelay: 400 };
  expect((await askModel(lab, slow, { settings: { retryDeadline: 1000 } })).text).toBe("one two three four");
});

test("does not retry an answer that breaks off, because the client has received its start", async () => {
  await using lab = await openLab();
  await expect(askModel(lab, { text: "abcdef", cut: true })).rejects.toThrow("connection was lost");
  expect(lab.requests).toHaveLength(1);
});

test("reports a server that refuses connections", async () => {
  await using lab = await openLab();
  lab.refuse();
  const request = askModel(lab, { text: "never" }, { settings: { retryDeadline: 1000 } });
  await expect(request).rejects.toThrow("ECONNREFUSED");
});

test("resolves with the part of the answer that arrived before an interrupt", async () => {
  await using lab = await openLab();
  const turn = new AbortController();
  const slow: ScriptStep = { text: "one two three four", chunks: 4, chunkDelay: 200 };
  const answer = await askModel(lab, slow, { turn, onText: () => turn.abort() });
  expect(answer.text).toBe("one t");
});
