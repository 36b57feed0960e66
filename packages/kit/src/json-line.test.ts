import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonLine } from "./json-line.ts";

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

test("what JSON can say is read as JSON reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      fc.pre(!text.includes("__proto__"));
      expect(parseJsonLine(text)).toStrictEqual(JSON.parse(text));
    }),
  );
});

test("any text at all is read or is not, and never throws", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom(...'[ ] { } " , : \\ a 1'.split(" ")) }),
      ),
      (text) => {
        let meant: unknown;
        try {
          meant = JSON.parse(text);
        } catch {
          meant = undefined;
        }
        expect(parseJsonLine(text)).toEqual(meant);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
])("%s are read 256 deep and no deeper", (_, open, close) => {
  const inner = open === "[" ? "" : "1";
  const depth = (count: number): string => open.repeat(count) + inner + close.repeat(count);
  expect(parseJsonLine(depth(256))).toBeDefined();
  expect(parseJsonLine(depth(257))).toBeUndefined();
  expect(parseJsonLine(depth(200_000))).toBeUndefined();
});

test("brackets side by side are not deep, nor are those in strings, also after a quote in the string", () => {
  expect(parseJsonLine(`[${"[],".repeat(300)}[]]`)).toHaveLength(301);
  expect(parseJsonLine(`[${"{},".repeat(300)}{}]`)).toHaveLength(301);
  const text = `\\"${"[{".repeat(300)}`;
  expect(parseJsonLine(JSON.stringify([text, [text]]))).toEqual([text, [text]]);
  expect(parseJsonLine(`["\\\\",${nested(256, "[", "]")}]`)).toBeUndefined();
});

test("no key can reach a prototype, at any depth", () => {
  const read = parseJsonLine('{"a":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}') as { a: object };
  for (const one of [read, read.a]) {
    expect(Object.getPrototypeOf(one)).toBe(Object.prototype);
    expect(Object.hasOwn(one, "__proto__")).toBe(false);
    expect(one).not.toHaveProperty("polluted");
  }
  expect(Object.assign({}, read)).not.toHaveProperty("polluted");
});

// A defect that stands: `__pr\u006fto__` gets through. Take `.fails` away when it is mended.
test("nor can one that is escaped, whichever of its letters are", () => {
  const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  for (let which = 0; which < 512; which += 1) {
    const key = "__proto__".replaceAll(/./g, (letter, at: number) => ((which >> at) & 1 ? escaped(letter) : letter));
    expect(Object.keys(parseJsonLine(`{"a":1,"${key}":{"polluted":1}}`) as object)).toEqual(["a"]);
  }
});
