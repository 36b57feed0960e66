import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLine, parseJsonLine } from "./json-line.ts";

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

test("parses JSON as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      fc.pre(!text.includes("__proto__"));
      expect(parseJsonLine(text)).toStrictEqual(JSON.parse(text));
    }),
  );
});

test("never throws, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom(...'[ ] { } " , : \\ a 1'.split(" ")) }),
      ),
      (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expected = undefined;
        }
        expect(parseJsonLine(text)).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
])("parses %s up to a depth of 256", (_, open, close) => {
  const inner = open === "[" ? "" : "1";
  const depth = (count: number): string => open.repeat(count) + inner + close.repeat(count);
  expect(parseJsonLine(depth(256))).toBeDefined();
  expect(parseJsonLine(depth(257))).toBeUndefined();
  expect(parseJsonLine(depth(200_000))).toBeUndefined();
});

test("does not count adjacent brackets or brackets in strings as depth", () => {
  expect(parseJsonLine(`[${"[],".repeat(300)}[]]`)).toHaveLength(301);
  expect(parseJsonLine(`[${"{},".repeat(300)}{}]`)).toHaveLength(301);
  const text = `\\"${"[{".repeat(300)}`;
  expect(parseJsonLine(JSON.stringify([text, [text]]))).toEqual([text, [text]]);
  expect(parseJsonLine(`["\\\\",${nested(256, "[", "]")}]`)).toBeUndefined();
});

test("drops the key __proto__ at any depth", () => {
  const parsed = parseJsonLine('{"a":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}') as { a: object };
  for (const object of [parsed, parsed.a]) {
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(Object.hasOwn(object, "__proto__")).toBe(false);
    expect(object).not.toHaveProperty("polluted");
  }
  expect(Object.assign({}, parsed)).not.toHaveProperty("polluted");
});

test("drops the key __proto__ with any combination of escaped letters", () => {
  const escapeLetter = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  for (let mask = 0; mask < 512; mask += 1) {
    const key = "__proto__".replaceAll(/./g, (letter, at: number) =>
      (mask >> at) & 1 ? escapeLetter(letter) : letter,
    );
    expect(Object.keys(parseJsonLine(`{"a":1,"${key}":{"polluted":1}}`) as object)).toEqual(["a"]);
  }
});

test("writes one line for an agent that reads lines with Node", async () => {
  const value = { text: "one\r\ntwo\u2028three\u2029four\u0085five" };
  const lines = await Array.fromAsync(createInterface({ input: Readable.from([jsonLine(value)]) }));
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([value]);
});
