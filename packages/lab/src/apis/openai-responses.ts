import type { Answer, Api, Chunk, Message } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { split } from "../split.ts";
import type { Step } from "../step.ts";
import { makeId } from "../make-id.ts";

/** Responses: the vendor's newer API. A tool whose input is a plain string is one of its custom tools. */
export const openaiResponses: Api = {
  name: "openai-responses",

  recognise({ method, path, body }) {
    if (method !== "POST" || path !== "/v1/responses") return undefined;
    const request = asObject(body);
    const items = asList(request["input"]).map(asObject);
    return {
      model: asString(request["model"]),
      // Some models are given their tools as an item of the conversation.
      hasTools: [request, ...items].some((holder) => asList(holder["tools"]).length > 0),
      streamed: request["stream"] === true,
      conversation: typeof request["input"] === "string" ? [said("user", request["input"])] : readItems(items),
    };
  },

  body(answer) {
    return { ...envelope(answer), status: "completed", output: itemsOf(answer.step), usage: wireUsage(answer) };
  },

  *stream(answer) {
    const head = envelope(answer);
    const output = itemsOf(answer.step);
    yield event({ type: "response.created", response: head });
    for (const [index, item] of output.entries()) yield* streamItem(index, item, answer.step);
    const response = { ...head, status: "completed", output, usage: wireUsage(answer) };
    yield { ...event({ type: "response.completed", response }), states: answer.usage };
  },

  ping: event({ type: "response.in_progress", response: {} }),

  error(status, message) {
    const type = status === 429 ? "requests" : status < 500 ? "invalid_request_error" : "server_error";
    return { error: { message, type, param: null, code: errorCodes[status] ?? null } };
  },
};

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

function itemsOf({ think, text, tools = [] }: Step): Item[] {
  const items: Item[] = [];
  if (think) items.push({ type: "reasoning", id: makeId("rs_"), summary: [{ type: "summary_text", text: think }] });
  if (text) {
    const content = [{ type: "output_text", text, annotations: [] }];
    items.push({ type: "message", id: makeId("msg_"), role: "assistant", content });
  }
  for (const { name, input } of tools) {
    const call = { name, call_id: makeId("call_") };
    if (typeof input === "string") items.push({ type: "custom_tool_call", id: makeId("ctc_"), ...call, input });
    else items.push({ type: "function_call", id: makeId("fc_"), ...call, arguments: JSON.stringify(input) });
  }
  return items;
}

function* streamItem(index: number, item: Item, step: Step): Iterable<Chunk> {
  const place = { item_id: item.id, output_index: index };
  const deltas = (type: string, pieces: readonly string[], more = {}): Chunk[] =>
    pieces.map((delta) => ({ ...event({ type: `response.${type}.delta`, ...place, ...more, delta }), delta: true }));
  yield event({ type: "response.output_item.added", output_index: index, item: emptied(item) });
  switch (item.type) {
    case "reasoning": {
      const part = { summary_index: 0, part: { type: "summary_text", text: "" } };
      yield event({ type: "response.reasoning_summary_part.added", ...place, ...part });
      yield* deltas("reasoning_summary_text", split(step.think ?? "", 2), { summary_index: 0 });
      break;
    }
    case "message":
      yield* deltas("output_text", split(step.text ?? "", step.chunks ?? 3), { content_index: 0 });
      break;
    case "function_call":
      yield* deltas("function_call_arguments", split(item.arguments, 2));
      break;
    case "custom_tool_call":
      yield* deltas("custom_tool_call_input", split(item.input, 2));
  }
  yield event({ type: "response.output_item.done", output_index: index, item });
}

function emptied(item: Item): Item {
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

/** What one answer consisted of comes back item by item; whatever stands together was one answer. */
function readItems(items: readonly Readonly<Record<string, unknown>>[]): Message[] {
  const messages: Message[] = [];
  for (const item of items) {
    const message = readItem(item);
    if (message.role === "assistant" && messages.at(-1)?.role === "assistant") continue;
    messages.push(message);
  }
  return messages;
}

function readItem({ type, role, content }: Readonly<Record<string, unknown>>): Message {
  if (type === "reasoning" || asString(type).endsWith("_call")) return said("assistant", "");
  const parts = typeof content === "string" ? [{ text: content }] : asList(content).map(asObject);
  const text = parts.map((part) => asString(part["text"])).join("\n");
  return said(role === "user" || role === "assistant" ? role : "other", text);
}

function said(role: Message["role"], text: string): Message {
  return { role, text };
}

function envelope({ model }: Answer): object {
  const created = Math.floor(Date.now() / 1000);
  return { id: makeId("resp_"), object: "response", created_at: created, status: "in_progress", model, output: [] };
}

/** Here, unlike in our own words, the input includes what was read from and written to the cache. */
function wireUsage({ step, usage: { input, cacheRead, cacheWrite, output } }: Answer): object {
  const all = input + cacheRead + cacheWrite;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: step.think ? Math.floor(output / 2) : 0 },
    total_tokens: all + output,
  };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): Chunk {
  return { event: data.type, data };
}
