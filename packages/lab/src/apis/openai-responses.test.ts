import { expect, test } from "vitest";
import type { ScriptStep } from "../script.ts";
import { usageForRequest } from "../model-usage.ts";
import { openaiResponses } from "./openai-responses.ts";

const usage = usageForRequest(1);
const fullStep: ScriptStep = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [
    { name: "exec_command", input: { cmd: 'say "hi"' } },
    { name: "apply_patch", input: "*** Begin Patch" },
  ],
};

function chunks(step: ScriptStep) {
  return [...openaiResponses.stream({ model: "some-model", step, usage })];
}

function stream(step: ScriptStep) {
  return chunks(step).map((chunk) => chunk.data as { type: string; delta?: string; item?: object });
}

test("streams each item in order with a start, its deltas and an end", () => {
  const types = stream({ ...fullStep, chunks: 2 }).map(({ type }) => type.replace("response.", ""));
  const items = [
    ["reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.delta"],
    ["output_text.delta", "output_text.delta"],
    ["function_call_arguments.delta", "function_call_arguments.delta"],
    ["custom_tool_call_input.delta", "custom_tool_call_input.delta"],
  ];
  expect(types).toEqual([
    "created",
    ...items.flatMap((pieces) => ["output_item.added", ...pieces, "output_item.done"]),
    "completed",
  ]);
});

test("names every event after its type", () => {
  for (const { event, data } of chunks(fullStep)) expect(event).toBe((data as { type: string }).type);
});

test("streams deltas and completed items that match the complete body", () => {
  const joined: Record<string, string> = {};
  for (const { type, delta = "" } of stream(fullStep)) joined[type] = (joined[type] ?? "") + delta;
  const joinedDelta = (part: string): string => joined[`response.${part}.delta`] ?? "";
  const output = [
    { type: "reasoning", summary: [{ type: "summary_text", text: joinedDelta("reasoning_summary_text") }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: joinedDelta("output_text") }] },
    { type: "function_call", name: "exec_command", arguments: joinedDelta("function_call_arguments") },
    { type: "custom_tool_call", name: "apply_patch", input: joinedDelta("custom_tool_call_input") },
  ];
  const body = openaiResponses.completeBody({ model: "some-model", step: fullStep, usage });
  expect(body).toMatchObject({ object: "response", status: "completed", model: "some-model", output });
  const endedItems = stream(fullStep).filter(({ type }) => type === "response.output_item.done");
  expect(endedItems.map(({ item }) => item)).toMatchObject(output);
  expect(JSON.parse(joinedDelta("function_call_arguments"))).toEqual({ cmd: 'say "hi"' });
});

test("starts every item empty", () => {
  const startedItems = stream(fullStep).filter(({ type }) => type === "response.output_item.added");
  expect(startedItems.map(({ item }) => item)).toMatchObject([
    { summary: [] },
    { content: [] },
    { arguments: "" },
    { input: "" },
  ]);
});

test("reports usage at the end, with cache reads and writes included in the input", () => {
  expect(chunks(fullStep).map((chunk) => chunk.usage)).toEqual([
    ...chunks(fullStep)
      .slice(1)
      .map(() => undefined),
    usage,
  ]);
  const wire = {
    input_tokens: 101 + 21 + 11,
    input_tokens_details: { cached_tokens: 21, cache_write_tokens: 11 },
    output_tokens: 51,
    output_tokens_details: { reasoning_tokens: 25 },
    total_tokens: 101 + 21 + 11 + 51,
  };
  expect(stream(fullStep).at(-1)).toMatchObject({ response: { status: "completed", usage: wire } });
  expect(openaiResponses.completeBody({ model: "m", step: { text: "Hi." }, usage })).toMatchObject({
    usage: { output_tokens_details: { reasoning_tokens: 0 } },
  });
});

test.each([
  [400, "invalid_request_error", null],
  [401, "invalid_request_error", "invalid_api_key"],
  [404, "invalid_request_error", "model_not_found"],
  [429, "requests", "rate_limit_exceeded"],
  [500, "server_error", null],
])("status %i is a %s", (status, type, code) => {
  expect(openaiResponses.errorBody(status, "why")).toEqual({ error: { message: "why", type, param: null, code } });
});

function recognize(body: object) {
  return openaiResponses.recognize({ method: "POST", path: "/v1/responses", body });
}

test("reads consecutive output items as one answer", () => {
  const input = [
    { type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "one" },
        { type: "input_text", text: "two" },
      ],
    },
    { type: "reasoning", summary: [] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "first" }] },
    { type: "function_call", call_id: "a", name: "exec_command", arguments: "{}" },
    { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: "" },
    { type: "function_call_output", call_id: "a", output: "output of one tool" },
    { type: "custom_tool_call_output", call_id: "b", output: "output of another tool" },
    { type: "function_call", call_id: "c", name: "exec_command", arguments: "{}" },
  ];
  expect(recognize({ model: "some-model", stream: true, tools: [{ name: "exec_command" }], input })).toEqual({
    model: "some-model",
    hasTools: true,
    streamed: true,
    conversation: [
      { role: "other", text: "rules" },
      { role: "user", text: "one\ntwo" },
      { role: "assistant", text: "" },
      { role: "other", text: "" },
      { role: "other", text: "" },
      { role: "assistant", text: "" },
    ],
  });
});

test("reads a plain string as a user message, and tools from an item", () => {
  expect(recognize({ model: "m", input: "hello" })).toMatchObject({
    hasTools: false,
    streamed: false,
    conversation: [{ role: "user", text: "hello" }],
  });
  const input = [{ type: "additional_tools", role: "developer", tools: [{ name: "exec_command" }] }];
  expect(recognize({ model: "m", input })).toMatchObject({ hasTools: true });
});

test("does not recognize requests to other APIs", () => {
  expect(openaiResponses.recognize({ method: "GET", path: "/v1/responses", body: undefined })).toBeUndefined();
  expect(openaiResponses.recognize({ method: "POST", path: "/v1/messages", body: {} })).toBeUndefined();
});

test("a request for a title is auxiliary, although it has tools and repeats the prompt", () => {
  const ask = (text: string): unknown => {
    const input = [{ type: "message", role: "user", content: [{ type: "input_text", text }] }];
    return recognize({ model: "m", input, tools: [{ type: "function", name: "exec_command" }] });
  };
  const title = "Generate a concise, single-line task title of at most 36 characters. User prompt: Do this.";
  expect(ask(title)).toMatchObject({ hasTools: false });
  expect(ask("Do this.")).toMatchObject({ hasTools: true });
});

test("reports a quota", () => {
  const quota = { used: 0.42, windowMinutes: 300, resetsAt: "2100-01-01T00:00:00.000Z" };
  expect(openaiResponses.quotaHeaders?.(quota)).toEqual({
    "x-codex-primary-used-percent": "42",
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": "4102444800",
  });
  expect(openaiResponses.quotaBody?.(quota)).toMatchObject({
    error: { type: "usage_limit_reached", resets_at: 4_102_444_800 },
  });
});
