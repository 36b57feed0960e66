import { expect, test } from "vitest";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { Step } from "../step.ts";
import { openaiChat } from "./openai-chat.ts";

const full: Step = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [
    { name: "write_file", input: { path: "a.txt", content: 'say "hi"' } },
    { name: "read_file", input: { path: "b.txt" } },
  ],
};

async function ask(lab: Lab, step: Step, request: object = {}): Promise<Response> {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: script([step]) },
  ];
  const body = JSON.stringify({ model: "some-model", tools: [{ type: "function" }], messages, ...request });
  return fetch(`${lab.url}/v1/chat/completions`, { method: "POST", body });
}

const streamed = { stream: true, stream_options: { include_usage: true } };

interface Piece {
  readonly choices: { delta: Delta; finish_reason: string | null }[];
  readonly usage?: object;
}
interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

/** The lines of a stream, without the word that it ends with. */
async function pieces(answer: Response): Promise<Piece[]> {
  const lines = (await answer.text()).split("\n\n").filter((line) => line !== "");
  expect(lines.pop()).toBe("data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Piece);
}

test("the deltas of a stream make up what the whole body says", async () => {
  await using lab = await openLab();
  const deltas = (await pieces(await ask(lab, full, streamed))).flatMap(({ choices }) => choices);
  const joined = { content: "", reasoning: "", calls: [] as { name: string; arguments: string }[] };
  for (const { delta } of deltas) {
    joined.content += delta.content ?? "";
    joined.reasoning += delta.reasoning_content ?? "";
    for (const { index, function: called } of delta.tool_calls ?? []) {
      const call = (joined.calls[index] ??= { name: called.name ?? "", arguments: "" });
      call.arguments += called.arguments;
    }
  }
  expect(joined).toMatchObject({ content: "Here you are.", reasoning: "Let me see." });
  expect(joined.calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(
    full.tools?.map(({ input }) => input),
  );
  expect(deltas.at(-1)?.finish_reason).toBe("tool_calls");

  const whole = await ask(lab, full);
  expect(await whole.json()).toMatchObject({
    object: "chat.completion",
    model: "some-model",
    choices: [
      {
        message: {
          role: "assistant",
          content: joined.content,
          reasoning_content: joined.reasoning,
          tool_calls: joined.calls.map((called) => ({ type: "function", function: called })),
        },
        finish_reason: "tool_calls",
      },
    ],
  });
});

test("the usage that is stated is the usage that is recorded, and its input includes what was cached", async () => {
  await using lab = await openLab();
  const last = (await pieces(await ask(lab, { text: "hi" }, streamed))).at(-1);
  const wire = { prompt_tokens: 122, completion_tokens: 51, prompt_tokens_details: { cached_tokens: 21 } };
  expect(last).toMatchObject({ choices: [], usage: wire });
  expect(await (await ask(lab, { text: "hi" })).json()).toMatchObject({ usage: { prompt_tokens: 124 } });
  expect(lab.served).toEqual([
    { api: "openai-chat", model: "some-model", input: 101, cacheRead: 21, cacheWrite: 0, output: 51, complete: true },
    { api: "openai-chat", model: "some-model", input: 102, cacheRead: 22, cacheWrite: 0, output: 52, complete: true },
  ]);
});

test("a stream states no usage unless it is asked to", async () => {
  await using lab = await openLab();
  const all = await pieces(await ask(lab, { text: "hi" }, { stream: true }));
  expect(all.filter(({ usage }) => usage)).toEqual([]);
  expect(lab.served).toEqual([]);
});

test("a cut stream has its first delta, then breaks", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { text: "abcdef", cut: true }, streamed);
  let heard = "";
  const reading = (async () => {
    for await (const chunk of answer.body!) heard += new TextDecoder().decode(chunk);
  })();
  await expect(reading).rejects.toThrow("terminated");
  expect(heard).toContain('"content":"ab"');
  expect(heard).not.toContain('"content":"cd"');
});

test("a hanging stream says nothing but that it is alive", async () => {
  await using lab = await openLab();
  const leaving = new AbortController();
  const body = JSON.stringify({
    ...streamed,
    tools: [{}],
    messages: [{ role: "user", content: script([{ text: "never", hang: true }]) }],
  });
  const path = `${lab.url}/v1/chat/completions`;
  const answer = await fetch(path, { method: "POST", body, signal: leaving.signal });
  let heard = "";
  for await (const chunk of answer.body!) {
    heard += new TextDecoder().decode(chunk);
    if (heard.includes('"choices":[]')) break;
  }
  expect(heard).not.toContain("never");
  leaving.abort();
});

test.each([
  [400, "invalid_request_error", null],
  [401, "invalid_request_error", "invalid_api_key"],
  [429, "requests", "rate_limit_exceeded"],
  [500, "server_error", null],
])("status %i is a %s", (status, type, code) => {
  expect(openaiChat.error(status, "why")).toEqual({ error: { message: "why", type, param: null, code } });
});

test("the conversation holds what was said, one assistant message for each answer", () => {
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
  expect(openaiChat.recognise(request)).toMatchObject({
    hasTools: false,
    conversation: [
      { role: "other", text: "Be brief." },
      { role: "user", text: "one\ntwo" },
      { role: "assistant", text: "" },
      { role: "other", text: "a file" },
    ],
  });
});
