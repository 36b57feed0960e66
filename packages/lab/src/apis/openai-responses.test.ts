import { expect, test } from "vitest";
import type { Step } from "../step.ts";
import { usageOfRequest } from "../usage.ts";
import { openaiResponses } from "./openai-responses.ts";

const usage = usageOfRequest(1);
const full: Step = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [
    { name: "exec_command", input: { cmd: 'say "hi"' } },
    { name: "apply_patch", input: "*** Begin Patch" },
  ],
};

function chunks(step: Step) {
  return [...openaiResponses.stream({ model: "some-model", step, usage })];
}

function stream(step: Step) {
  return chunks(step).map((chunk) => chunk.data as { type: string; delta?: string; item?: object });
}

test("a stream has each item in order, and of each its beginning, its deltas and its end", () => {
  const types = stream({ ...full, chunks: 2 }).map(({ type }) => type.replace("response.", ""));
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

test("every event is named after its type", () => {
  for (const { event, data } of chunks(full)) expect(event).toBe((data as { type: string }).type);
});

test("the deltas of a stream make up what the whole body says, and so do the items that ended", () => {
  const joined: Record<string, string> = {};
  for (const { type, delta = "" } of stream(full)) joined[type] = (joined[type] ?? "") + delta;
  const of = (piece: string): string => joined[`response.${piece}.delta`] ?? "";
  const output = [
    { type: "reasoning", summary: [{ type: "summary_text", text: of("reasoning_summary_text") }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: of("output_text") }] },
    { type: "function_call", name: "exec_command", arguments: of("function_call_arguments") },
    { type: "custom_tool_call", name: "apply_patch", input: of("custom_tool_call_input") },
  ];
  const body = openaiResponses.body({ model: "some-model", step: full, usage });
  expect(body).toMatchObject({ object: "response", status: "completed", model: "some-model", output });
  const ended = stream(full).filter(({ type }) => type === "response.output_item.done");
  expect(ended.map(({ item }) => item)).toMatchObject(output);
  expect(JSON.parse(of("function_call_arguments"))).toEqual({ cmd: 'say "hi"' });
});

test("an item begins empty", () => {
  const begun = stream(full).filter(({ type }) => type === "response.output_item.added");
  expect(begun.map(({ item }) => item)).toMatchObject([
    { summary: [] },
    { content: [] },
    { arguments: "" },
    { input: "" },
  ]);
});

test("usage is stated at the end; its input includes what was read from and written to the cache", () => {
  expect(chunks(full).map((chunk) => chunk.states)).toEqual([
    ...chunks(full)
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
  expect(stream(full).at(-1)).toMatchObject({ response: { status: "completed", usage: wire } });
  expect(openaiResponses.body({ model: "m", step: { text: "Hi." }, usage })).toMatchObject({
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
  expect(openaiResponses.error(status, "why")).toEqual({ error: { message: "why", type, param: null, code } });
});

function recognised(body: object) {
  return openaiResponses.recognise({ method: "POST", path: "/v1/responses", body });
}

test("items that stand together were one answer", () => {
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
    { type: "function_call_output", call_id: "a", output: "said by a tool" },
    { type: "custom_tool_call_output", call_id: "b", output: "and by another" },
    { type: "function_call", call_id: "c", name: "exec_command", arguments: "{}" },
  ];
  expect(recognised({ model: "some-model", stream: true, tools: [{ name: "exec_command" }], input })).toEqual({
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

test("a plain string is what the user said, and tools may be an item", () => {
  expect(recognised({ model: "m", input: "hello" })).toMatchObject({
    hasTools: false,
    streamed: false,
    conversation: [{ role: "user", text: "hello" }],
  });
  const input = [{ type: "additional_tools", role: "developer", tools: [{ name: "exec_command" }] }];
  expect(recognised({ model: "m", input })).toMatchObject({ hasTools: true });
});

test("other addresses are not its own", () => {
  expect(openaiResponses.recognise({ method: "GET", path: "/v1/responses", body: undefined })).toBeUndefined();
  expect(openaiResponses.recognise({ method: "POST", path: "/v1/messages", body: {} })).toBeUndefined();
});
