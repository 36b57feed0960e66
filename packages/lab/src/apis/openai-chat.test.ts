import { expect, test } from "vitest";
import { openLab, type Lab } from "../lab.ts";
import { scriptPrompt, type ScriptStep } from "../script.ts";
import { openaiChat } from "./openai-chat.ts";

const fullStep: ScriptStep = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [
    { name: "write_file", input: { path: "a.txt", content: 'say "hi"' } },
    { name: "read_file", input: { path: "b.txt" } },
  ],
};

async function sendStep(lab: Lab, step: ScriptStep, request: object = {}): Promise<Response> {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: scriptPrompt([step]) },
  ];
  const body = JSON.stringify({ model: "some-model", tools: [{ type: "function" }], messages, ...request });
  return fetch(`${lab.url}/v1/chat/completions`, { method: "POST", body });
}

const streamed = { stream: true, stream_options: { include_usage: true } };

interface ResponseChunk {
  readonly choices: { delta: Delta; finish_reason: string | null }[];
  readonly usage?: object;
}
interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

/** Parses the lines of a stream, without the keyword at its end. */
async function readChunks(answer: Response): Promise<ResponseChunk[]> {
  const lines = (await answer.text()).split("\n\n").filter((line) => line !== "");
  expect(lines.pop()).toBe("data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as ResponseChunk);
}

test("streams deltas that join to the complete body", async () => {
  await using lab = await openLab();
  const deltas = (await readChunks(await sendStep(lab, fullStep, streamed))).flatMap(({ choices }) => choices);
  const joined = { content: "", reasoning: "", calls: [] as { name: string; arguments: string }[] };
  for (const { delta } of deltas) {
    joined.content += delta.content ?? "";
    joined.reasoning += delta.reasoning_content ?? "";
    for (const { index, function: functionCall } of delta.tool_calls ?? []) {
      const call = (joined.calls[index] ??= { name: functionCall.name ?? "", arguments: "" });
      call.arguments += functionCall.arguments;
    }
  }
  expect(joined).toMatchObject({ content: "Here you are.", reasoning: "Let me see." });
  expect(joined.calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(
    fullStep.tools?.map(({ input }) => input),
  );
  expect(deltas.at(-1)?.finish_reason).toBe("tool_calls");

  const whole = await sendStep(lab, fullStep);
  expect(await whole.json()).toMatchObject({
    object: "chat.completion",
    model: "some-model",
    choices: [
      {
        message: {
          role: "assistant",
          content: joined.content,
          reasoning_content: joined.reasoning,
          tool_calls: joined.calls.map((call) => ({ type: "function", function: call })),
        },
        finish_reason: "tool_calls",
      },
    ],
  });
});

test("records the usage that it reports, with cached tokens included in the input", async () => {
  await using lab = await openLab();
  const last = (await readChunks(await sendStep(lab, { text: "hi" }, streamed))).at(-1);
  const wire = { prompt_tokens: 122, completion_tokens: 51, prompt_tokens_details: { cached_tokens: 21 } };
  expect(last).toMatchObject({ choices: [], usage: wire });
  expect(await (await sendStep(lab, { text: "hi" })).json()).toMatchObject({ usage: { prompt_tokens: 124 } });
  expect(lab.servedAnswers).toEqual([
    {
      api: "openai-chat",
      model: "some-model",
      input: 101,
      cacheRead: 21,
      cacheWrite: 0,
      output: 51,
      auxiliary: false,
      complete: true,
    },
    {
      api: "openai-chat",
      model: "some-model",
      input: 102,
      cacheRead: 22,
      cacheWrite: 0,
      output: 52,
      auxiliary: false,
      complete: true,
    },
  ]);
});

test("streams no usage unless the request asks for it", async () => {
  await using lab = await openLab();
  const all = await readChunks(await sendStep(lab, { text: "hi" }, { stream: true }));
  expect(all.filter(({ usage }) => usage)).toEqual([]);
  expect(lab.servedAnswers).toEqual([]);
});

test("cuts a stream after its first delta", async () => {
  await using lab = await openLab();
  const answer = await sendStep(lab, { text: "abcdef", cut: true }, streamed);
  let received = "";
  const reading = (async () => {
    for await (const chunk of answer.body!) received += new TextDecoder().decode(chunk);
  })();
  await expect(reading).rejects.toThrow("terminated");
  expect(received).toContain('"content":"ab"');
  expect(received).not.toContain('"content":"cd"');
});

test("sends only pings in a hanging stream", async () => {
  await using lab = await openLab();
  const disconnect = new AbortController();
  const body = JSON.stringify({
    ...streamed,
    tools: [{}],
    messages: [{ role: "user", content: scriptPrompt([{ text: "never", hang: true }]) }],
  });
  const path = `${lab.url}/v1/chat/completions`;
  const answer = await fetch(path, { method: "POST", body, signal: disconnect.signal });
  let received = "";
  for await (const chunk of answer.body!) {
    received += new TextDecoder().decode(chunk);
    if (received.includes('"choices":[]')) break;
  }
  expect(received).not.toContain("never");
  disconnect.abort();
});

test.each([
  [400, "invalid_request_error", null],
  [401, "invalid_request_error", "invalid_api_key"],
  [429, "requests", "rate_limit_exceeded"],
  [500, "server_error", null],
])("status %i is a %s", (status, type, code) => {
  expect(openaiChat.errorBody(status, "why")).toEqual({ error: { message: "why", type, param: null, code } });
});

test("reads texts into the conversation, one assistant message per answer", () => {
  const messages = [
    { role: "developer", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
    { role: "assistant", content: null, tool_calls: [{ id: "1" }] },
    { role: "tool", tool_call_id: "1", content: "a file" },
  ];
  const request = { method: "POST", path: "/v1/chat/completions", body: { messages } };
  expect(openaiChat.recognize(request)).toMatchObject({
    hasTools: false,
    conversation: [
      { role: "other", text: "Be brief." },
      { role: "user", text: "one\ntwo" },
      { role: "assistant", text: "" },
      { role: "other", text: "a file" },
    ],
  });
});
