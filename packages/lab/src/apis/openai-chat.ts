import type { ApiAnswer, Api, SseChunk, ApiMessage } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { makeId, splitText } from "./response-parts.ts";
import type { ScriptStep } from "../script.ts";
import type { ModelUsage } from "../model-usage.ts";

/** The Chat Completions API: the vendor's older API, which most other providers and local servers also implement. */
export const openaiChat: Api = {
  name: "openai-chat",

  recognize({ method, path, body }) {
    if (method !== "POST" || path !== "/v1/chat/completions") return undefined;
    const request = asObject(body);
    const streamed = request["stream"] === true;
    const includeUsage = asObject(request["stream_options"])["include_usage"] === true;
    return {
      model: asString(request["model"]),
      hasTools: asList(request["tools"]).length > 0,
      streamed,
      conversation: asList(request["messages"]).map(readMessage),
      ...(streamed && !includeUsage && { withoutUsage: true }),
    };
  },

  completeBody({ model, step, usage }) {
    const { think, text = null } = step;
    const calls = toolCallsOf(step).map(({ id, type, function: functionCall }) => ({
      id,
      type,
      function: functionCall,
    }));
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
    const commonFields = envelope("chat.completion.chunk", model);
    const chunk = (delta: object, finish: string | null = null): SseChunk => ({
      data: { ...commonFields, choices: [{ index: 0, delta, finish_reason: finish }] },
    });
    yield chunk({ role: "assistant", content: "" });
    for (const delta of deltasOf(step)) yield { ...chunk(delta), delta: true };
    yield chunk({}, finishOf(step));
    if (!withoutUsage) yield { data: { ...commonFields, choices: [], usage: wireUsage(usage) }, usage };
    yield { data: "[DONE]" };
  },

  ping: { data: { ...envelope("chat.completion.chunk", ""), choices: [] } },

  errorBody(status, message) {
    const type = status === 429 ? "requests" : status < 500 ? "invalid_request_error" : "server_error";
    return { error: { message, type, param: null, code: errorCodes[status] ?? null } };
  },

  // The API reports cache reads, but has no field for cache writes.
  reportableUsage: (usage) => ({ ...usage, cacheWrite: 0 }),
};

const errorCodes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

interface ChatToolCall {
  readonly index: number;
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

function toolCallsOf({ tools = [] }: ScriptStep): ChatToolCall[] {
  return tools.map(({ name, input }, index) => ({
    index,
    id: makeId("call_"),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function* deltasOf(step: ScriptStep): Iterable<object> {
  for (const piece of splitText(step.think ?? "", 2)) yield { reasoning_content: piece };
  for (const piece of splitText(step.text ?? "", step.chunks ?? 3)) yield { content: piece };
  for (const { function: functionCall, ...call } of toolCallsOf(step)) {
    yield { tool_calls: [{ ...call, function: { ...functionCall, arguments: "" } }] };
    for (const piece of splitText(functionCall.arguments, 2)) {
      yield { tool_calls: [{ index: call.index, function: { arguments: piece } }] };
    }
  }
}

function readMessage(value: unknown): ApiMessage {
  const { role, content } = asObject(value);
  const parts = typeof content === "string" ? [{ text: content }] : asList(content).map(asObject);
  const text = parts.map((part) => asString(part["text"])).join("\n");
  return role === "user" || role === "assistant" ? { role, text } : { role: "other", text };
}

function envelope(object: string, model: ApiAnswer["model"]): object {
  return { id: makeId("chatcmpl-"), object, created: Math.floor(Date.now() / 1000), model };
}

function finishOf(step: ScriptStep): string {
  return step.tools?.length ? "tool_calls" : "stop";
}

/**
 * Converts usage to the wire format. Unlike `ModelUsage.input`, the prompt count includes tokens read from the cache.
 */
function wireUsage({ input, cacheRead, output }: ModelUsage): object {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
