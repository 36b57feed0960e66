import type { ApiAnswer, Api, SseChunk, ApiMessage } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { makeId, splitText, toEpochSeconds } from "./response-parts.ts";
import type { ScriptStep } from "../script.ts";

/** The Responses API: the vendor's newer API. A tool whose input is a plain string is a custom tool. */
export const openaiResponses: Api = {
  name: "openai-responses",

  recognize({ method, path, body }) {
    if (method !== "POST" || path !== "/v1/responses") return undefined;
    const request = asObject(body);
    const items = asList(request["input"]).map(asObject);
    return {
      model: asString(request["model"]),
      // For some models, the tools are in an item of the conversation. A request for a title repeats the user's prompt.
      hasTools:
        [request, ...items].some((source) => asList(source["tools"]).length > 0) &&
        !titleRequest.test(readItems(items).at(-1)?.text ?? ""),
      streamed: request["stream"] === true,
      conversation: typeof request["input"] === "string" ? [createMessage("user", request["input"])] : readItems(items),
    };
  },

  completeBody(answer) {
    return { ...envelope(answer), status: "completed", output: itemsOf(answer.step), usage: wireUsage(answer) };
  },

  *stream(answer) {
    const commonFields = envelope(answer);
    const output = itemsOf(answer.step);
    yield sseEvent({ type: "response.created", response: commonFields });
    for (const [index, item] of output.entries()) yield* streamItem(index, item, answer.step);
    const response = { ...commonFields, status: "completed", output, usage: wireUsage(answer) };
    yield { ...sseEvent({ type: "response.completed", response }), usage: answer.usage };
  },

  ping: sseEvent({ type: "response.in_progress", response: {} }),

  errorBody(status, message) {
    const type = status === 429 ? "requests" : status < 500 ? "invalid_request_error" : "server_error";
    return { error: { message, type, param: null, code: errorCodes[status] ?? null } };
  },

  quotaHeaders({ used, windowMinutes, resetsAt }) {
    return {
      "x-codex-primary-used-percent": String(used * 100),
      "x-codex-primary-window-minutes": String(windowMinutes),
      "x-codex-primary-reset-at": String(toEpochSeconds(resetsAt)),
    };
  },

  quotaBody({ resetsAt }) {
    const resets = toEpochSeconds(resetsAt);
    const message = "The usage limit has been reached";
    return { error: { type: "usage_limit_reached", message, plan_type: "plus", resets_at: resets } };
  },
};

/** How an agent's request for the title of a conversation begins. */
const titleRequest = /^Generate a concise, single-line task title\b/;

const errorCodes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

type Item =
  | { readonly type: "reasoning"; readonly id: string; readonly summary: readonly object[] }
  | { readonly type: "message"; readonly id: string; readonly role: "assistant"; readonly content: readonly object[] }
  | { readonly type: "function_call"; readonly id: string; readonly arguments: string }
  | { readonly type: "custom_tool_call"; readonly id: string; readonly input: string };

function itemsOf({ think, text, tools = [] }: ScriptStep): Item[] {
  const items: Item[] = [];
  if (think) items.push({ type: "reasoning", id: makeId("rs_"), summary: [{ type: "summary_text", text: think }] });
  if (text) {
    const content = [{ type: "output_text", text, annotations: [] }];
    items.push({ type: "message", id: makeId("msg_"), role: "assistant", content });
  }
  for (const { name, namespace, input } of tools) {
    const call = { name, call_id: makeId("call_"), ...(namespace !== undefined && { namespace }) };
    if (typeof input === "string") items.push({ type: "custom_tool_call", id: makeId("ctc_"), ...call, input });
    else items.push({ type: "function_call", id: makeId("fc_"), ...call, arguments: JSON.stringify(input) });
  }
  return items;
}

function* streamItem(index: number, item: Item, step: ScriptStep): Iterable<SseChunk> {
  const itemPosition = { item_id: item.id, output_index: index };
  const deltas = (type: string, pieces: readonly string[], extraFields = {}): SseChunk[] =>
    pieces.map((delta) => ({
      ...sseEvent({ type: `response.${type}.delta`, ...itemPosition, ...extraFields, delta }),
      delta: true,
    }));
  yield sseEvent({ type: "response.output_item.added", output_index: index, item: emptyItem(item) });
  switch (item.type) {
    case "reasoning": {
      const part = { summary_index: 0, part: { type: "summary_text", text: "" } };
      yield sseEvent({ type: "response.reasoning_summary_part.added", ...itemPosition, ...part });
      yield* deltas("reasoning_summary_text", splitText(step.think ?? "", 2), { summary_index: 0 });
      break;
    }
    case "message":
      yield* deltas("output_text", splitText(step.text ?? "", step.chunks ?? 3), { content_index: 0 });
      break;
    case "function_call":
      yield* deltas("function_call_arguments", splitText(item.arguments, 2));
      break;
    case "custom_tool_call":
      yield* deltas("custom_tool_call_input", splitText(item.input, 2));
  }
  yield sseEvent({ type: "response.output_item.done", output_index: index, item });
}

function emptyItem(item: Item): Item {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, content: [] };
    case "function_call":
      return { ...item, arguments: "" };
    case "custom_tool_call":
      return { ...item, input: "" };
  }
}

/**
 * Reads input items. The parts of one answer come back as separate items, so consecutive assistant items are one
 * answer.
 */
function readItems(items: readonly Readonly<Record<string, unknown>>[]): ApiMessage[] {
  const messages: ApiMessage[] = [];
  for (const item of items) {
    const message = readItem(item);
    if (message.role === "assistant" && messages.at(-1)?.role === "assistant") continue;
    messages.push(message);
  }
  return messages;
}

function readItem({ type, role, content }: Readonly<Record<string, unknown>>): ApiMessage {
  if (type === "reasoning" || asString(type).endsWith("_call")) return createMessage("assistant", "");
  const parts = typeof content === "string" ? [{ text: content }] : asList(content).map(asObject);
  const text = parts.map((part) => asString(part["text"])).join("\n");
  return createMessage(role === "user" || role === "assistant" ? role : "other", text);
}

function createMessage(role: ApiMessage["role"], text: string): ApiMessage {
  return { role, text };
}

function envelope({ model }: ApiAnswer): object {
  const created = Math.floor(Date.now() / 1000);
  return { id: makeId("resp_"), object: "response", created_at: created, status: "in_progress", model, output: [] };
}

/** Converts usage to the wire format. Unlike `ModelUsage.input`, the input includes cache reads and writes. */
function wireUsage({ step, usage: { input, cacheRead, cacheWrite, output } }: ApiAnswer): object {
  const allInput = input + cacheRead + cacheWrite;
  return {
    input_tokens: allInput,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: step.think ? Math.floor(output / 2) : 0 },
    total_tokens: allInput + output,
  };
}

function sseEvent(data: { readonly type: string; readonly [key: string]: unknown }): SseChunk {
  return { event: data.type, data };
}
