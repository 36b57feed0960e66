import { expect, test } from "vitest";
import { jsonLine } from "./json-line.ts";
import { initialRpc, rpc } from "./json-rpc.ts";

test("matches a response to its request once", () => {
  const first = rpc.request(initialRpc, "initialize", {});
  const second = rpc.request(first.rpc, "turn/start", { text: "hi" }, { about: "t1", envelope: { jsonrpc: "2.0" } });
  expect(JSON.parse(second.text)).toEqual({ jsonrpc: "2.0", id: 2, method: "turn/start", params: { text: "hi" } });
  const answered = rpc.receive(second.rpc, '{"id":2,"result":{"ok":true}}');
  expect(answered.message).toEqual({ kind: "result", method: "turn/start", about: "t1", result: { ok: true } });
  expect(rpc.receive(answered.rpc, '{"id":2,"result":{}}').message).toBeNull();
  expect(rpc.receive(answered.rpc, '{"id":1,"error":{"code":-32601,"message":"no"}}').message).toMatchObject({
    kind: "failure",
    method: "initialize",
    error: { code: -32601, message: "no" },
  });
});

test("distinguishes requests and notifications of the other side", () => {
  expect(rpc.receive(initialRpc, '{"id":"a","method":"ask","params":1}').message).toEqual({
    kind: "request",
    id: "a",
    method: "ask",
    params: 1,
  });
  expect(rpc.receive(initialRpc, '{"method":"tell"}').message).toEqual({
    kind: "notice",
    method: "tell",
    params: undefined,
  });
});

test.each(["", "nonsense", "[]", "{}", '{"id":{}}', '{"id":null,"result":1}', '{"id":7,"result":1}'])(
  "ignores %j",
  (line) => expect(rpc.receive(initialRpc, line)).toEqual({ rpc: initialRpc, message: null }),
);

test("serializes a line break inside a string without breaking the line", () =>
  expect(jsonLine({ text: "a\nb" }).match(/\n/g)).toHaveLength(1));
