import { hiddenLines } from "@fairlead/api";
import { describe, expect, it } from "vitest";
import { inputHeading, inputLines } from "./tool-input.ts";

describe("inputHeading", () => {
  it.each([
    ["the only field", { command: "ls -la" }, { text: "ls -la", whole: true }],
    ["the summary field of several", { content: "x", path: "a.txt" }, { text: "a.txt", whole: false }],
    ["any text field if no summary field exists", { n: 1, color: "red" }, { text: "red", whole: false }],
    ["JSON if there is no text", { n: 1 }, { text: '{"n":1}', whole: false }],
    ["empty for an empty input", {}, { text: "", whole: true }],
    ["the first of several lines", { command: "one\ntwo" }, { text: "one …", whole: false }],
    ["the visible part of a text with hidden characters", { command: "ls\u200b" }, { text: "ls", whole: false }],
  ])("is %s", (_, input, head) => {
    expect(inputHeading(input, 40)).toEqual(head);
  });

  it("is cut to the width and marked as incomplete", () => {
    expect(inputHeading({ command: "x".repeat(50) }, 10)).toEqual({ text: `${"x".repeat(9)}…`, whole: false });
  });
});

describe("inputLines", () => {
  it("counts the lines that it leaves out", () => {
    const content = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    expect(inputLines({ content }).at(-1)).toBe("      … 10 more lines, NOT SHOWN");
    expect(hiddenLines({ content, path: "a", more: content })).toBe(20);
    expect(hiddenLines(content)).toBe(10);
    expect(hiddenLines({ path: "a" })).toBe(0);
    expect(hiddenLines(undefined)).toBe(0);
  });

  it("leaves nothing out with `full`", () => {
    const content = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join("\n");
    expect(inputLines({ content }, { full: true })).toHaveLength(5001);
  });

  it("never cuts a line, because its end would also run", () => {
    const command = `echo ${"x".repeat(1000)}; rm -r .`;
    expect(inputLines({ command })).toEqual([`    command: ${command}`]);
  });
});
