import fc from "fast-check";
import { expect, test } from "vitest";
import { cutLines, lastLine, noRemainder, type Line, type Remainder } from "./lines.ts";

const longest = 4 * 1024 * 1024;

/** Bytes as agents write them: a lot of line ends, some text, some rubbish. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", "\n\n").map((text) => Buffer.from(text)),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
  )
  .map((parts) => Buffer.concat(parts));

/** Cuts in pieces, and stores what is left over as JSON between any two of them. */
function cutInPieces(pieces: readonly Uint8Array[]): Line[] {
  let rest = noRemainder;
  const all = pieces.flatMap((piece) => {
    const cut = cutLines(JSON.parse(JSON.stringify(rest)) as Remainder, piece);
    rest = cut.rest;
    return cut.lines;
  });
  return [...all, ...lastLine(JSON.parse(JSON.stringify(rest)) as Remainder)];
}

/** The same thing said plainly, of bytes that are all there. */
function splitWhole(bytes: Buffer): Line[] {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return bytes
    .toString("latin1")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .filter((line) => line !== "")
    .map((line) => {
      try {
        return { text: strict.decode(Buffer.from(line, "latin1")) };
      } catch {
        return { unreadable: "a line is not UTF-8", raw: line.slice(0, 1000) };
      }
    });
}

test("any bytes in any pieces give the lines of the whole, also when the state is stored in between", () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat()), (bytes, at) => {
      const cuts = [0, ...at.map((one) => one % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
      const pieces = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
      expect(cutInPieces(pieces)).toEqual(splitWhole(bytes));
    }),
    { numRuns: 500 },
  );
});

test("a line comes as soon as its end does, and not before", () => {
  const { lines, rest } = cutLines(noRemainder, Buffer.from("one\ntw"));
  expect(lines).toEqual([{ text: "one" }]);
  expect(cutLines(rest, Buffer.from("o\n"))).toEqual({ lines: [{ text: "two" }], rest: noRemainder });
});

test("a carriage return belongs to the line end, one of them, and only there", () => {
  expect(cutInPieces([Buffer.from("a\r\r\n\r\nb\rc\r")])).toEqual([{ text: "a\r" }, { text: "b\rc" }]);
});

test("half a character at the end is not a line of text, and is kept", () => {
  const [euro] = [Buffer.from("€")];
  expect(lastLine(cutLines(noRemainder, euro.subarray(0, 2)).rest)).toEqual([
    { unreadable: "a line is not UTF-8", raw: "\u00e2\u0082" },
  ]);
});

test("of a long line that cannot be read, only the beginning is kept", () => {
  const [line] = cutInPieces([Buffer.alloc(5000, 0xff)]);
  expect(line).toEqual({ unreadable: "a line is not UTF-8", raw: "\u00ff".repeat(1000) });
});

test("where nothing is left, there is no last line", () => {
  expect(lastLine(noRemainder)).toEqual([]);
  expect(lastLine({ bytes: "", skipped: 0 })).toEqual([]);
});

test("a part of a larger buffer is taken for that part only", () => {
  const buffer = Buffer.from("xxone\nxx");
  expect(cutLines(noRemainder, new Uint8Array(buffer.buffer, buffer.byteOffset + 2, 4)).lines).toEqual([
    { text: "one" },
  ]);
});

test.each([
  ["in one piece", longest + 1],
  ["in pieces", 1_000_000],
])("a line at the limit is read; one byte more is passed over and told of, and the next is read: %s", (_, size) => {
  const bytes = Buffer.concat([
    Buffer.alloc(longest, "x"),
    Buffer.from("\n"),
    Buffer.alloc(longest + 1, "y"),
    Buffer.from("\nz\n"),
  ]);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (__, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const [full, tooLong, next, ...others] = cutInPieces(pieces);
  expect(full).toEqual({ text: "x".repeat(longest) });
  expect(tooLong).toEqual({ unreadable: `a line of ${longest + 1} bytes is too long`, raw: "" });
  expect([next, ...others]).toEqual([{ text: "z" }]);
});

test("a line without end takes no memory once it is too long", () => {
  let rest = noRemainder;
  for (let count = 0; count < 6; count += 1) ({ rest } = cutLines(rest, Buffer.alloc(1024 * 1024, "x")));
  expect(rest).toEqual({ bytes: "", skipped: 6 * 1024 * 1024 });
  expect(lastLine(rest)).toEqual([{ unreadable: `a line of ${6 * 1024 * 1024} bytes is too long`, raw: "" }]);
});
