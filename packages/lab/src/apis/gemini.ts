import { randomUUID } from "node:crypto";
import type { Answer, Api, Chunk, Message } from "../api.ts";
import { asList, asObject, asString } from "../json.ts";
import { split } from "../split.ts";
import type { Step } from "../step.ts";
import type { Usage } from "../usage.ts";

const place = /^\/v1(?:beta|alpha)?\/models\/([^:/]+):(streamGenerateContent|generateContent|countTokens)$/;

/** Generate Content: a stream of whole answers, each with a part of what is said. */
export const gemini: Api = {
  name: "gemini",

  recognise({ method, path, body }) {
    const [, model = "", verb] = place.exec(path) ?? [];
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

  body({ model, step, usage }) {
    return response(model, [...partsOf(step)], { finished: true, usage });
  },

  *stream({ model, step, usage }) {
    yield { data: response(model, [{ text: "" }]) };
    for (const part of partsOf(step)) yield { data: response(model, [part]), delta: true };
    yield { data: response(model, [{ text: "" }], { finished: true, usage }), states: usage };
  },

  ping: ping(),

  error(status, message) {
    const words = errorWords[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");
    return { error: { code: status, message, status: words } };
  },

  // What is written to a cache is not counted: a cache is made by a request of its own.
  stated: (usage) => ({ ...usage, cacheWrite: 0 }),
};

const errorWords: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function* partsOf(step: Step): Iterable<object> {
  if (step.think) yield { text: step.think, thought: true };
  for (const text of split(step.text ?? "", step.chunks ?? 3)) yield { text };
  for (const { name, input } of step.tools ?? []) yield { functionCall: { name, args: input } };
}

function response(
  model: Answer["model"],
  parts: readonly object[],
  { finished = false, usage }: { finished?: boolean; usage?: Usage } = {},
): object {
  const candidate = { index: 0, content: { role: "model", parts }, ...(finished && { finishReason: "STOP" }) };
  const stated = usage && { usageMetadata: wireUsage(usage) };
  return { candidates: [candidate], modelVersion: model, responseId: randomUUID(), ...stated };
}

/** Here, unlike in our own words, the input includes what came from the cache. */
function wireUsage({ input, cacheRead, output }: Usage): object {
  return {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: input + cacheRead + output,
  };
}

function ping(): Chunk {
  return { data: { candidates: [] } };
}

function readContent(value: unknown): Message {
  const { role, parts } = asObject(value);
  // Only what was said has a text: what a tool was given or returned is a call or a response.
  const text = asList(parts).map((part) => asString(asObject(part)["text"]));
  return { role: role === "model" ? "assistant" : role === "user" ? "user" : "other", text: text.join("\n") };
}
