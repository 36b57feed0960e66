import { expect, test } from "vitest";
import { usageOfRequest } from "../usage.ts";
import { amp } from "./amp.ts";

const messages = "/api/provider/anthropic/v1/messages";
const body = { model: "m", tools: [{ name: "Bash" }], messages: [{ role: "user", content: "Hello" }] };

test("a turn is asked for behind the vendor's path, and is scripted", () => {
  const question = { model: "m", hasTools: true, streamed: true, conversation: [{ role: "user", text: "Hello" }] };
  expect(amp.recognise({ method: "POST", path: messages, body: { ...body, stream: true } })).toEqual(question);
});

test("a title is a side job, answered with the tool that it is asked for", () => {
  expect(amp.recognise({ method: "POST", path: messages, body })).toMatchObject({ hasTools: false, streamed: false });
  const answer = amp.body({ model: "m", step: { text: "no" }, usage: usageOfRequest(1) });
  expect(answer).toMatchObject({
    content: [{ type: "tool_use", name: "set_title", input: { title: "A scripted session" } }],
  });
});

test("it knows who is asking, and nothing else of what its servers know", () => {
  const ask = (method: string) => amp.recognise({ method: "POST", path: "/api/internal", body: { method } });
  expect(ask("getUserInfo")).toMatchObject({ fixed: { ok: true, result: { username: "lab" } } });
  expect(ask("uploadThread")).toEqual({ fixed: { ok: true, result: {} } });
});

test("what is addressed to others is left to them", () => {
  expect(amp.recognise({ method: "POST", path: "/v1/messages", body })).toBeUndefined();
});
