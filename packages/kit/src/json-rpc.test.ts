import { expect, test } from "vitest";
import { jsonLine } from "./json-line.ts";
import { quietRpc, rpc } from "./json-rpc.ts";

test("an answer is joined with what was asked, once", () => {
  const first = rpc.ask(quietRpc, "initialize", {});
  const second = rpc.ask(first.rpc, "turn/start", { text: "hi" }, { about: "t1", head: { jsonrpc: "2.0" } });
  expect(JSON.parse(second.text)).toEqual({ jsonrpc: "2.0", id: 2, method: "turn/start", params: { text: "hi" } });
  const answered = rpc.hear(second.rpc, '{"id":2,"result":{"ok":true}}');
  expect(answered.heard).toEqual({ kind: "result", method: "turn/start", about: "t1", result: { ok: true } });
  expect(rpc.hear(answered.rpc, '{"id":2,"result":{}}').heard).toBeNull();
  expect(rpc.hear(answered.rpc, '{"id":1,"error":{"code":-32601,"message":"no"}}').heard).toMatchObject({
    kind: "failure",
    method: "initialize",
    error: { code: -32601, message: "no" },
  });
});

test("requests and notices of the other side are told apart", () => {
  expect(rpc.hear(quietRpc, '{"id":"a","method":"ask","params":1}').heard).toEqual({
    kind: "request",
    id: "a",
    method: "ask",
    params: 1,
  });
  expect(rpc.hear(quietRpc, '{"method":"tell"}').heard).toEqual({ kind: "notice", method: "tell", params: undefined });
});

test.each(["", "nonsense", "[]", "{}", '{"id":{}}', '{"id":null,"result":1}', '{"id":7,"result":1}'])(
  "%j means nothing",
  (line) => expect(rpc.hear(quietRpc, line)).toEqual({ rpc: quietRpc, heard: null }),
);

test("a line is one line", () => expect(jsonLine({ text: "a\nb" }).match(/\n/g)).toHaveLength(1));
