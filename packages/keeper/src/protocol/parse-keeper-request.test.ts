import { expect, test } from "vitest";
import { RequestRejected } from "./request-rejected.ts";
import { parseKeeperRequest } from "./parse-keeper-request.ts";
import { readSocketLines } from "./socket-line-splitter.ts";
import { shellCommand } from "@fairlead/testing/keeper/test-session-folder.ts";

test.each([
  { do: "note", id: "1", text: "" },
  { do: "launch", id: "1", command: shellCommand("true") },
  { do: "write", id: "1", text: "hello", process: 2 },
  { do: "close-stdin", id: "1" },
  { do: "signal", id: "1", signal: "SIGINT" },
  { do: "kill", id: "1" },
  { do: "launch", id: "1", command: shellCommand("true", { stdin: "terminal", size: { columns: 80, rows: 24 } }) },
  { do: "type", id: "1", text: "x" },
  { do: "resize", id: "1", size: { columns: 1, rows: 9999 } },
  { do: "trim", id: "1", upTo: 3 },
  { do: "attend", id: "1", confirmedAt: "0", freezeAt: "12000000000", endAt: "9223372036854775807" },
  { do: "attend", id: "1", confirmedAt: "0", freezeAt: "1", endAt: "2", onlyShortens: true },
  { do: "mask", id: "1", masks: [{ text: "12345678", mask: "XXXXXXXX", restores: true }] },
  { do: "leave", id: "1", unknown: "ignored" },
])("accepts the request $do", (request) => {
  expect(parseKeeperRequest(JSON.stringify(request))).toEqual(request);
});

test.each([
  ["{", null],
  ["[]", null],
  ["null", null],
  ['{"do":"kill"}', null],
  ['{"do":"kill","id":""}', null],
  ['{"do":"kill","id":7}', null],
  [`{"do":"kill","id":"${"x".repeat(1025)}"}`, null],
  ['{"do":"dance","id":"1"}', "1"],
  ['{"do":"toString","id":"1"}', "1"],
  ['{"do":"note","id":"1"}', "1"],
  ['{"do":"write","id":"1","text":5}', "1"],
  ['{"do":"write","id":"1","text":"","process":"1"}', "1"],
  ['{"do":"signal","id":"1","signal":"SIGNONSENSE"}', "1"],
  ['{"do":"launch","id":"1","command":{}}', "1"],
  [`{"do":"trim","id":"1"}`, "1"],
  ['{"do":"attend","id":"1","confirmedAt":"1","freezeAt":"1"}', "1"],
  ['{"do":"attend","id":"1","confirmedAt":"1","freezeAt":1,"endAt":"1"}', "1"],
  ['{"do":"attend","id":"1","confirmedAt":"1","freezeAt":"-1","endAt":"1"}', "1"],
  ['{"do":"attend","id":"1","confirmedAt":"1","freezeAt":"1","endAt":"1","onlyShortens":"no"}', "1"],
  ['{"do":"type","id":"1"}', "1"],
  ['{"do":"mask","id":"1"}', "1"],
  ['{"do":"mask","id":"1","masks":[{"text":"12345678","mask":"XXXXXXXX"}]}', "1"],
  ['{"do":"mask","id":"1","masks":[{"text":"1234567","mask":"XXXXXXX","restores":true}]}', "1"],
  ['{"do":"mask","id":"1","masks":[{"text":"12345678","mask":"XXXXXXX","restores":true}]}', "1"],
  ['{"do":"mask","id":"1","masks":[{"text":"1234\\n5678","mask":"XXXXXXXXX","restores":true}]}', "1"],
  ['{"do":"resize","id":"1"}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":80}}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":0,"rows":24}}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":80,"rows":10000}}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":80.5,"rows":24}}', "1"],
  [JSON.stringify({ do: "launch", id: "1", command: shellCommand("", { stdin: "terminal" }) }), "1"],
  [JSON.stringify({ do: "launch", id: "1", command: { ...shellCommand(""), env: { A: 1 } } }), "1"],
])("rejects %s", (line, id) => {
  expect(() => parseKeeperRequest(line)).toThrow(RequestRejected);
  expect(() => parseKeeperRequest(line)).toThrow(expect.objectContaining({ id }));
});

test("joins lines from chunks and drops an incomplete last line", async () => {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const chunk of ["a", "b\nc\n\xc3", "\xa9\n", "incomplete"]) yield Buffer.from(chunk, "latin1");
  }
  expect(await Array.fromAsync(readSocketLines(chunks()))).toEqual(["ab", "c", "é"]);
  await expect(Array.fromAsync(readSocketLines(chunks(), 5))).rejects.toThrow(RangeError);
});
