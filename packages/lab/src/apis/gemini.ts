import { randomUUID } from "node:crypto";
import type { ApiAnswer, Api, SseChunk, ApiMessage } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { splitText } from "./response-parts.ts";
import type { ScriptStep } from "../script.ts";
import type { ModelUsage } from "../model-usage.ts";

const modelPath = /^\/v1(?:beta|alpha)?\/models\/([^:/]+):(streamGenerateContent|generateContent|countTokens)$/;

/** The Generate Content API. Each chunk of a stream is a complete response object with a part of the content. */
export const geminiApi: Api = {
  name: "gemini",

  recognize({ method, path, body }) {
    const [, model = "", verb] = modelPath.exec(path) ?? [];
    if (method !== "POST" || verb === undefined) return undefined;
    if (verb === "countTokens") return { fixed: { totalTokens: 100 } };
    const request = asObject(body);
    return {
      model,
      hasTools: asList(request["tools"]).length > 0,
      streamed: verb === "streamGenerateContent",
      conversation: asList(request["contents"]).map(readContent),
    };
  },

  completeBody({ model, step, usage }) {
    return response(model, [...partsOf(step)], { finished: true, usage });
  },

  *stream({ model, step, usage }) {
    yield { data: response(model, [{ text: "" }]) };
    for (const part of partsOf(step)) yield { data: response(model, [part]), delta: true };
    yield { data: response(model, [{ text: "" }], { finished: true, usage }), usage };
  },

  ping: ping(),

  errorBody(status, message) {
    const statusName = errorStatusNames[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");
    return { error: { code: status, message, status: statusName } };
  },

  // The API does not report cache writes, because a separate request creates a cache.
  reportableUsage: (usage) => ({ ...usage, cacheWrite: 0 }),
};

const errorStatusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function* partsOf(step: ScriptStep): Iterable<object> {
  if (step.think) yield { text: step.think, thought: true };
  for (const text of splitText(step.text ?? "", step.chunks ?? 3)) yield { text };
  for (const { name, input } of step.tools ?? []) yield { functionCall: { name, args: input } };
}

function response(
  model: ApiAnswer["model"],
  parts: readonly object[],
  { finished = false, usage }: { finished?: boolean; usage?: ModelUsage } = {},
): object {
  const candidate = { index: 0, content: { role: "model", parts }, ...(finished && { finishReason: "STOP" }) };
  const usageFields = usage && { usageMetadata: wireUsage(usage) };
  return { candidates: [candidate], modelVersion: model, responseId: randomUUID(), ...usageFields };
}

/**
 * Converts usage to the wire format. Unlike `ModelUsage.input`, the prompt count includes tokens read from the cache.
 */
function wireUsage({ input, cacheRead, output }: ModelUsage): object {
  return {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: input + cacheRead + output,
  };
}

function ping(): SseChunk {
  return { data: { candidates: [] } };
}

function readContent(value: unknown): ApiMessage {
  const { role, parts } = asObject(value);
  // Only text parts have a `text`. Tool calls and results have a `functionCall` or a `functionResponse`.
  const text = asList(parts).map((part) => asString(asObject(part)["text"]));
  return { role: role === "model" ? "assistant" : role === "user" ? "user" : "other", text: text.join("\n") };
}
