import { describe, expect, it } from "vitest";
import { hiddenLines, inputHead, inputLines } from "./input.ts";

describe("inputHead", () => {
  it.each([
    ["the only field", { command: "ls -la" }, { text: "ls -la", whole: true }],
    ["the telling field of several", { content: "x", path: "a.txt" }, { text: "a.txt", whole: false }],
    ["any text, where no field is known to tell", { n: 1, colour: "red" }, { text: "red", whole: false }],
    ["JSON, where there is no text", { n: 1 }, { text: '{"n":1}', whole: false }],
    ["nothing", {}, { text: "", whole: true }],
    ["the first of several lines", { command: "one\ntwo" }, { text: "one …", whole: false }],
    ["what is left of hidden text", { command: "ls\u200b" }, { text: "ls", whole: false }],
  ])("is %s", (_, input, head) => {
    expect(inputHead(input, 40)).toEqual(head);
  });

  it("fits into the width, and says that it is not whole", () => {
    expect(inputHead({ command: "x".repeat(50) }, 10)).toEqual({ text: `${"x".repeat(9)}…`, whole: false });
  });
});

describe("inputLines", () => {
  it("counts what it leaves out", () => {
    const content = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    expect(inputLines({ content }).at(-1)).toBe("      … 10 more lines, NOT SHOWN");
    expect(hiddenLines({ content, path: "a", more: content })).toBe(20);
    expect(hiddenLines(content)).toBe(10);
    expect(hiddenLines({ path: "a" })).toBe(0);
    expect(hiddenLines(undefined)).toBe(0);
  });

  it("leaves nothing out for whoever wants all", () => {
    const content = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join("\n");
    expect(inputLines({ content }, { full: true })).toHaveLength(5001);
  });

  it("never cuts a line, for its end will run too", () => {
    const command = `echo ${"x".repeat(1000)}; rm -r .`;
    expect(inputLines({ command })).toEqual([`    command: ${command}`]);
  });
});
