import { expect, test } from "vitest";
import { FrameRefused } from "./frame-refused.ts";
import { parseFrame } from "./parse-frame.ts";
import { readLines } from "./read-lines.ts";
import { shell } from "./session-for-test.ts";

test.each([
  { do: "note", id: "1", text: "" },
  { do: "launch", id: "1", line: shell("true") },
  { do: "say", id: "1", text: "hello", process: 2 },
  { do: "hangup", id: "1" },
  { do: "signal", id: "1", signal: "SIGINT" },
  { do: "kill", id: "1" },
  { do: "launch", id: "1", line: shell("true", { stdin: "terminal", size: { columns: 80, rows: 24 } }) },
  { do: "type", id: "1", text: "x" },
  { do: "resize", id: "1", size: { columns: 1, rows: 9999 } },
  { do: "trim", id: "1", upTo: 3 },
  { do: "leave", id: "1", unknown: "ignored" },
])("$do is understood", (frame) => {
  expect(parseFrame(JSON.stringify(frame))).toEqual(frame);
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
  ['{"do":"say","id":"1","text":5}', "1"],
  ['{"do":"say","id":"1","text":"","process":"1"}', "1"],
  ['{"do":"signal","id":"1","signal":"SIGNONSENSE"}', "1"],
  ['{"do":"launch","id":"1","line":{}}', "1"],
  [`{"do":"trim","id":"1"}`, "1"],
  ['{"do":"type","id":"1"}', "1"],
  ['{"do":"resize","id":"1"}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":80}}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":0,"rows":24}}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":80,"rows":10000}}', "1"],
  ['{"do":"resize","id":"1","size":{"columns":80.5,"rows":24}}', "1"],
  [JSON.stringify({ do: "launch", id: "1", line: shell("", { stdin: "terminal" }) }), "1"],
  [JSON.stringify({ do: "launch", id: "1", line: { ...shell(""), env: { A: 1 } } }), "1"],
])("%s is refused", (line, id) => {
  expect(() => parseFrame(line)).toThrow(FrameRefused);
  expect(() => parseFrame(line)).toThrow(expect.objectContaining({ id }));
});

test("lines are put together from pieces, and an unfinished one is dropped", async () => {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const piece of ["a", "b\nc\n\xc3", "\xa9\n", "unfinished"]) yield Buffer.from(piece, "latin1");
  }
  expect(await Array.fromAsync(readLines(pieces()))).toEqual(["ab", "c", "é"]);
  await expect(Array.fromAsync(readLines(pieces(), 5))).rejects.toThrow(RangeError);
});
