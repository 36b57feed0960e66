import fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines, flushLine, noRemainder, type OutputLine, type Remainder } from "./lines.ts";

const maxLineBytes = 4 * 1024 * 1024;

/** Bytes as agents write them: many line ends, some text, some invalid bytes. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", "\n\n").map((text) => Buffer.from(text)),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
  )
  .map((parts) => Buffer.concat(parts));

/** Splits chunk by chunk, and stores the remainder as JSON in between. */
function splitInChunks(chunks: readonly Uint8Array[]): OutputLine[] {
  let rest = noRemainder;
  const lines = chunks.flatMap((chunk) => {
    const result = splitLines(JSON.parse(JSON.stringify(rest)) as Remainder, chunk);
    rest = result.rest;
    return result.lines;
  });
  return [...lines, ...flushLine(JSON.parse(JSON.stringify(rest)) as Remainder)];
}

/** A simple reference implementation for complete input. */
function splitWhole(bytes: Buffer): OutputLine[] {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return bytes
    .toString("latin1")
    .split("\n")
    .map((line, index, all) => ({
      line: line.replace(/\r$/, ""),
      isEnd: index === all.length - 1,
      isEmpty: line === "",
    }))
    .filter(({ isEnd, isEmpty }) => !isEnd || !isEmpty)
    .map(({ line, isEnd }) => {
      try {
        return { text: strict.decode(Buffer.from(line, "latin1")), ...(isEnd && { unterminated: true as const }) };
      } catch {
        return { unreadable: "a line is not UTF-8", raw: line.slice(0, 1000) };
      }
    });
}

test("splits any bytes in any chunks as it splits the whole, also with stored state", () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat()), (bytes, positions) => {
      const cuts = [
        0,
        ...positions.map((position) => position % (bytes.length + 1)).toSorted((a, b) => a - b),
        bytes.length,
      ];
      const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
      expect(splitInChunks(chunks)).toEqual(splitWhole(bytes));
    }),
    { numRuns: 500 },
  );
});

test("returns a line when its end arrives, and not before", () => {
  const { lines, rest } = splitLines(noRemainder, Buffer.from("one\ntw"));
  expect(lines).toEqual([{ text: "one" }]);
  expect(splitLines(rest, Buffer.from("o\n"))).toEqual({ lines: [{ text: "two" }], rest: noRemainder });
});

test("removes one carriage return at the end of a line only", () => {
  expect(splitInChunks([Buffer.from("a\r\r\n\r\nb\rc\r")])).toEqual([
    { text: "a\r" },
    { text: "" },
    { text: "b\rc", unterminated: true },
  ]);
});

test("reports an incomplete character at the end as unreadable with its bytes", () => {
  const [euro] = [Buffer.from("€")];
  expect(flushLine(splitLines(noRemainder, euro.subarray(0, 2)).rest)).toEqual([
    { unreadable: "a line is not UTF-8", raw: "\u00e2\u0082" },
  ]);
});

test("keeps only the beginning of a long unreadable line", () => {
  const [line] = splitInChunks([Buffer.alloc(5000, 0xff)]);
  expect(line).toEqual({ unreadable: "a line is not UTF-8", raw: "\u00ff".repeat(1000) });
});

test("flushes no line without a remainder", () => {
  expect(flushLine(noRemainder)).toEqual([]);
  expect(flushLine({ bytes: "", skipped: 0 })).toEqual([]);
});

test("reads only the given part of a larger buffer", () => {
  const buffer = Buffer.from("xxone\nxx");
  expect(splitLines(noRemainder, new Uint8Array(buffer.buffer, buffer.byteOffset + 2, 4)).lines).toEqual([
    { text: "one" },
  ]);
});

test.each([
  ["in one chunk", maxLineBytes + 1],
  ["in several chunks", 1_000_000],
])("reads a line at the limit, reports a longer one as too long, and reads the next: %s", (_, size) => {
  const bytes = Buffer.concat([
    Buffer.alloc(maxLineBytes, "x"),
    Buffer.from("\n"),
    Buffer.alloc(maxLineBytes + 1, "y"),
    Buffer.from("\nz\n"),
  ]);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (__, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const [full, tooLong, next, ...others] = splitInChunks(chunks);
  expect(full).toEqual({ text: "x".repeat(maxLineBytes) });
  expect(tooLong).toEqual({ unreadable: `a line of ${maxLineBytes + 1} bytes is too long`, raw: "" });
  expect([next, ...others]).toEqual([{ text: "z" }]);
});

test("discards the bytes of a line that is too long", () => {
  let rest = noRemainder;
  for (let count = 0; count < 6; count += 1) ({ rest } = splitLines(rest, Buffer.alloc(1024 * 1024, "x")));
  expect(rest).toEqual({ bytes: "", skipped: 6 * 1024 * 1024 });
  expect(flushLine(rest)).toEqual([{ unreadable: `a line of ${6 * 1024 * 1024} bytes is too long`, raw: "" }]);
});
