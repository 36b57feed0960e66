import type { ApiAnswer, Api, SseChunk, ApiMessage } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { makeId, splitText, toEpochSeconds } from "./response-parts.ts";
import type { ScriptStep } from "../script.ts";
import type { ModelUsage } from "../model-usage.ts";

export const anthropicMessages: Api = {
  name: "anthropic-messages",

  recognize({ method, path, body }) {
    if (method !== "POST") return undefined;
    if (path === "/v1/messages/count_tokens") return { fixed: { input_tokens: 100 } };
    if (path !== "/v1/messages") return undefined;
    const request = asObject(body);
    return {
      model: asString(request["model"]),
      hasTools: asList(request["tools"]).length > 0,
      streamed: request["stream"] === true,
      conversation: asList(request["messages"]).map(readMessage),
    };
  },

  completeBody({ model, step, usage }) {
    return { ...emptyMessage(model), content: contentBlocks(step), ...stopOf(step), usage: wireUsage(usage) };
  },

  *stream({ model, step, usage }) {
    const initialUsage = { ...usage, output: 1 };
    const message = { ...emptyMessage(model), usage: wireUsage(initialUsage) };
    yield { ...sseEvent({ type: "message_start", message }), usage: initialUsage };
    for (const [index, block] of contentBlocks(step).entries()) yield* streamBlock(index, block, step);
    const messageDelta = { type: "message_delta", delta: stopOf(step), usage: wireUsage(usage) };
    yield { ...sseEvent(messageDelta), usage };
    yield sseEvent({ type: "message_stop" });
  },

  ping: sseEvent({ type: "ping" }),

  errorBody(status, message) {
    const type = errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
    return { type: "error", error: { type, message }, request_id: makeId("req_") };
  },

  quotaHeaders({ used, windowMinutes, resetsAt, reached }) {
    const prefix = "anthropic-ratelimit-unified";
    const [abbreviation, claim] = quotaWindows[windowMinutes] ?? fiveHours;
    const reset = String(toEpochSeconds(resetsAt));
    const window = `${prefix}-${abbreviation}`;
    const status = reached ? "rejected" : used >= warningThreshold ? "allowed_warning" : "allowed";
    return {
      [`${prefix}-status`]: status,
      [`${prefix}-reset`]: reset,
      [`${prefix}-representative-claim`]: claim,
      [`${window}-status`]: status,
      [`${window}-reset`]: reset,
      [`${window}-utilization`]: String(used),
      ...(status === "allowed_warning" && { [`${window}-surpassed-threshold`]: String(warningThreshold) }),
      ...(reached && { "x-should-retry": "false" }),
    };
  },
};

/** The names of a quota's window in the vendor's headers, by its length in minutes. */
const fiveHours = ["5h", "five_hour"] as const;
const quotaWindows: Readonly<Record<number, readonly [string, string]>> = {
  300: fiveHours,
  10_080: ["7d", "seven_day"],
};
/** The used part from which on the vendor warns. */
const warningThreshold = 0.8;

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

function contentBlocks(step: ScriptStep): Block[] {
  const blocks: Block[] = [];
  if (step.think) blocks.push({ type: "thinking", thinking: step.think, signature: "bGFi" });
  if (step.text) blocks.push({ type: "text", text: step.text });
  for (const { name, input } of step.tools ?? []) {
    blocks.push({ type: "tool_use", id: makeId("toolu_"), name, input });
  }
  return blocks;
}

function* streamBlock(index: number, block: Block, step: ScriptStep): Iterable<SseChunk> {
  yield sseEvent({ type: "content_block_start", index, content_block: emptyBlock(block) });
  for (const delta of deltasOf(block, step)) {
    yield { ...sseEvent({ type: "content_block_delta", index, delta }), delta: true };
  }
  yield sseEvent({ type: "content_block_stop", index });
}

function deltasOf(block: Block, step: ScriptStep): object[] {
  switch (block.type) {
    case "thinking":
      return [
        ...splitText(block.thinking, 2).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "text":
      return splitText(block.text, step.chunks ?? 3).map((text) => ({ type: "text_delta", text }));
    case "tool_use":
      return splitText(JSON.stringify(block.input), 2).map((partial) => ({
        type: "input_json_delta",
        partial_json: partial,
      }));
  }
}

function emptyBlock(block: Block): Block {
  switch (block.type) {
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "text":
      return { ...block, text: "" };
    case "tool_use":
      return { ...block, input: {} };
  }
}

function readMessage(value: unknown): ApiMessage {
  const { role, content } = asObject(value);
  const blocks = typeof content === "string" ? [{ text: content }] : asList(content).map(asObject);
  // Only text blocks have a `text`. Tool calls have an `input`, tool results a `content`.
  const texts = blocks.map((block) => asString(block["text"]));
  return { role: role === "user" || role === "assistant" ? role : "other", text: texts.join("\n") };
}

function emptyMessage(model: ApiAnswer["model"]): object {
  const emptyFields = { content: [], stop_reason: null, stop_sequence: null };
  return { id: makeId("msg_"), type: "message", role: "assistant", model, ...emptyFields };
}

function stopOf(step: ScriptStep): object {
  return { stop_reason: step.tools?.length ? "tool_use" : "end_turn", stop_sequence: null };
}

function wireUsage(usage: ModelUsage): object {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

function sseEvent(data: { readonly type: string; readonly [key: string]: unknown }): SseChunk {
  return { event: data.type, data };
}
