import { expect, test } from "vitest";
import { usageForRequest } from "../model-usage.ts";
import { ampApi } from "./amp.ts";

const messages = "/api/provider/anthropic/v1/messages";
const body = { model: "m", tools: [{ name: "Bash" }], messages: [{ role: "user", content: "Hello" }] };

test("recognizes a turn below the vendor's path", () => {
  const question = { model: "m", hasTools: true, streamed: true, conversation: [{ role: "user", text: "Hello" }] };
  expect(ampApi.recognize({ method: "POST", path: messages, body: { ...body, stream: true } })).toEqual(question);
});

test("treats a request for a title as auxiliary and answers it with the requested tool", () => {
  expect(ampApi.recognize({ method: "POST", path: messages, body })).toMatchObject({
    hasTools: false,
    streamed: false,
  });
  const answer = ampApi.completeBody({ model: "m", step: { text: "no" }, usage: usageForRequest(1) });
  expect(answer).toMatchObject({
    content: [{ type: "tool_use", name: "set_title", input: { title: "A scripted session" } }],
  });
});

test("answers a request for user information, and others with an empty result", () => {
  const recognizeInternal = (method: string) =>
    ampApi.recognize({ method: "POST", path: "/api/internal", body: { method } });
  expect(recognizeInternal("getUserInfo")).toMatchObject({ fixed: { ok: true, result: { username: "lab" } } });
  expect(recognizeInternal("uploadThread")).toEqual({ fixed: { ok: true, result: {} } });
});

test("does not recognize requests to other APIs", () => {
  expect(ampApi.recognize({ method: "POST", path: "/v1/messages", body })).toBeUndefined();
});
