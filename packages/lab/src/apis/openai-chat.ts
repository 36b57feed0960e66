import type { Answer, Api, Chunk, Message } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { split } from "../split.ts";
import type { Step } from "../step.ts";
import type { Usage } from "../usage.ts";
import { makeId } from "../make-id.ts";

/** Chat Completions: the vendor's older API, and the one that most other providers and local servers speak too. */
export const openaiChat: Api = {
  name: "openai-chat",

  recognise({ method, path, body }) {
    if (method !== "POST" || path !== "/v1/chat/completions") return undefined;
    const request = asObject(body);
    const streamed = request["stream"] === true;
    const asked = asObject(request["stream_options"])["include_usage"] === true;
    return {
      model: asString(request["model"]),
      hasTools: asList(request["tools"]).length > 0,
      streamed,
      conversation: asList(request["messages"]).map(readMessage),
      ...(streamed && !asked && { withoutUsage: true }),
    };
  },

  body({ model, step, usage }) {
    const { think, text = null } = step;
    const calls = callsOf(step).map(({ id, type, function: called }) => ({ id, type, function: called }));
    const message = {
      role: "assistant",
      content: text,
      ...(think && { reasoning_content: think }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choice = { index: 0, message, finish_reason: finishOf(step) };
    return { ...envelope("chat.completion", model), choices: [choice], usage: wireUsage(usage) };
  },

  *stream({ model, step, usage, withoutUsage }) {
    const head = envelope("chat.completion.chunk", model);
    const piece = (delta: object, finish: string | null = null): Chunk => ({
      data: { ...head, choices: [{ index: 0, delta, finish_reason: finish }] },
    });
    yield piece({ role: "assistant", content: "" });
    for (const delta of deltasOf(step)) yield { ...piece(delta), delta: true };
    yield piece({}, finishOf(step));
    if (!withoutUsage) yield { data: { ...head, choices: [], usage: wireUsage(usage) }, states: usage };
    yield { data: "[DONE]" };
  },

  ping: { data: { ...envelope("chat.completion.chunk", ""), choices: [] } },

  error(status, message) {
    const type = status === 429 ? "requests" : status < 500 ? "invalid_request_error" : "server_error";
    return { error: { message, type, param: null, code: errorCodes[status] ?? null } };
  },

  // It says what was read from a cache, but has no word for what was written to one.
  stated: (usage) => ({ ...usage, cacheWrite: 0 }),
};

const errorCodes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

interface Call {
  readonly index: number;
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

function callsOf({ tools = [] }: Step): Call[] {
  return tools.map(({ name, input }, index) => ({
    index,
    id: makeId("call_"),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function* deltasOf(step: Step): Iterable<object> {
  for (const piece of split(step.think ?? "", 2)) yield { reasoning_content: piece };
  for (const piece of split(step.text ?? "", step.chunks ?? 3)) yield { content: piece };
  for (const { function: called, ...call } of callsOf(step)) {
    yield { tool_calls: [{ ...call, function: { ...called, arguments: "" } }] };
    for (const piece of split(called.arguments, 2)) {
      yield { tool_calls: [{ index: call.index, function: { arguments: piece } }] };
    }
  }
}

function readMessage(value: unknown): Message {
  const { role, content } = asObject(value);
  const parts = typeof content === "string" ? [{ text: content }] : asList(content).map(asObject);
  const text = parts.map((part) => asString(part["text"])).join("\n");
  return role === "user" || role === "assistant" ? { role, text } : { role: "other", text };
}

function envelope(object: string, model: Answer["model"]): object {
  return { id: makeId("chatcmpl-"), object, created: Math.floor(Date.now() / 1000), model };
}

function finishOf(step: Step): string {
  return step.tools?.length ? "tool_calls" : "stop";
}

/** Here, unlike in our own words, the input includes what came from the cache. */
function wireUsage({ input, cacheRead, output }: Usage): object {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
