import { expect, test } from "vitest";
import type { ScriptStep } from "../script.ts";
import { usageForRequest } from "../model-usage.ts";
import { anthropicMessages } from "./anthropic-messages.ts";

const usage = usageForRequest(1);
const fullStep: ScriptStep = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [{ name: "Write", input: { path: "a.txt", content: 'say "hi"' } }],
};

function stream(step: ScriptStep) {
  return [...anthropicMessages.stream({ model: "some-model", step, usage })].map((chunk) => chunk.data);
}

test("streams each block in order with a start, its deltas and a stop", () => {
  const types = stream({ ...fullStep, chunks: 2 }).map((data) => {
    const { type, delta } = data as { type: string; delta?: { type?: string } };
    return delta?.type ?? type;
  });
  const thinking = ["thinking_delta", "thinking_delta", "signature_delta"];
  const blocks = [thinking, ["text_delta", "text_delta"], ["input_json_delta", "input_json_delta"]];
  expect(types).toEqual([
    "message_start",
    ...blocks.flatMap((deltas) => ["content_block_start", ...deltas, "content_block_stop"]),
    "message_delta",
    "message_stop",
  ]);
});

test("streams deltas that join to the complete body", () => {
  const joined: Record<string, string> = {};
  for (const data of stream(fullStep)) {
    const { delta } = data as { delta?: Record<string, string> };
    for (const key of ["thinking", "text", "partial_json"]) joined[key] = (joined[key] ?? "") + (delta?.[key] ?? "");
  }
  const body = anthropicMessages.completeBody({ model: "some-model", step: fullStep, usage });
  expect(body).toMatchObject({
    role: "assistant",
    model: "some-model",
    stop_reason: "tool_use",
    content: [
      { type: "thinking", thinking: joined["thinking"] },
      { type: "text", text: joined["text"] },
      { type: "tool_use", name: "Write", input: JSON.parse(joined["partial_json"] ?? "") },
    ],
  });
  expect(joined["text"]).toBe("Here you are.");
});

test("reports input usage at the start and output usage at the end", () => {
  const reportedUsages = [...anthropicMessages.stream({ model: "some-model", step: fullStep, usage })].flatMap(
    (chunk) => chunk.usage ?? [],
  );
  expect(reportedUsages).toEqual([{ ...usage, output: 1 }, usage]);
  const wire = { input_tokens: 101, cache_creation_input_tokens: 11, cache_read_input_tokens: 21 };
  expect(stream(fullStep).at(0)).toMatchObject({ message: { usage: { ...wire, output_tokens: 1 } } });
  expect(stream(fullStep).at(-2)).toMatchObject({ usage: { ...wire, output_tokens: 51 } });
});

test.each([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [503, "api_error"],
  [529, "overloaded_error"],
])("status %i is a %s", (status, type) => {
  expect(anthropicMessages.errorBody(status, "why")).toMatchObject({ type: "error", error: { type, message: "why" } });
});

test("reads texts, but not tool results, into the conversation", () => {
  const messages = [
    { role: "user", content: "plain" },
    { role: "system", content: "a reminder" },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", content: "a file" }] },
    {
      role: "user",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
  ];
  const body = { model: "some-model", stream: true, tools: [{ name: "Read" }], messages };
  expect(anthropicMessages.recognize({ method: "POST", path: "/v1/messages", body })).toEqual({
    model: "some-model",
    hasTools: true,
    streamed: true,
    conversation: [
      { role: "user", text: "plain" },
      { role: "other", text: "a reminder" },
      { role: "assistant", text: "" },
      { role: "user", text: "" },
      { role: "user", text: "one\ntwo" },
    ],
  });
});
