import { escapeInvisible, toSafeJsonLine } from "@fairlead/contract";
// oxlint-disable no-control-regex -- control characters are what this file is about
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeText } from "./sanitize-text.ts";

const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/;

/** Texts full of control characters and sequences, in every order. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("\x1b", "\x1b[", "\x9b", "\x1b]", "\x9d", "\x1bP", "\x90", "\x07", "\x1b\\", "\x9c", "\r", "\n"),
      fc.constantFrom("31m", "2J", "0;title", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800", "\x7f", "\x00", "\x85"),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

describe("sanitizeText", () => {
  it("removes every control character and sequence from any text", () => {
    fc.assert(
      fc.property(hostile, (text) => !harmful.test(sanitizeText(text))),
      { numRuns: 2000 },
    );
  });

  it("is idempotent", () => {
    fc.assert(fc.property(hostile, (text) => sanitizeText(sanitizeText(text)) === sanitizeText(text)));
  });

  it("keeps printable text, newlines and tabs", () => {
    const text = "Grüße, 世界 🎉\n\tindented\n";
    expect(sanitizeText(text)).toBe(text);
  });

  it.each([
    ["a color", "a\x1b[1;31mred\x1b[0m", "ared"],
    ["a color with a one-byte introducer", "a\x9b31mred", "ared"],
    ["a cursor movement", "one\x1b[2A\x1b[Ktwo", "onetwo"],
    ["a title terminated by BEL", "a\x1b]0;title\x07b", "ab"],
    ["a link terminated by ST", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["a device control string", "a\x1bPq#0;2\x1b\\b", "ab"],
    ["a character set", "a\x1b(0b", "ab"],
    ["an unterminated sequence", "a\x1b[3", "a"],
    ["an unterminated string, up to the end of its line", "a\x1b]0;rest\nnext", "a\nnext"],
    ["carriage returns in line ends", "a\r\nb\rc", "a\nb\nc"],
    ["bidirectional controls", "a\u202eb\u2066c", "abc"],
    ["zero-width characters", "a\u200bb\ufeffc\u200d", "abc"],
  ])("removes %s", (_, text, expected) => {
    expect(sanitizeText(text)).toBe(expected);
  });
});

describe("escapeInvisible", () => {
  it("escapes hidden characters, so that a person sees everything they allow", () => {
    expect(escapeInvisible("ls \x1b]0;$(rm -rf ~)\x07")).toBe("ls \\u{1b}]0;$(rm -rf ~)\\u{7}");
  });

  it("leaves no control characters in any text", () => {
    fc.assert(fc.property(hostile, (text) => !harmful.test(escapeInvisible(text))));
  });
});

describe("toSafeJsonLine", () => {
  it("writes one line without control characters that parses to the same value", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = toSafeJsonLine({ text });
        expect(line).not.toMatch(harmful);
        expect(line).not.toContain("\n");
        expect(JSON.parse(line)).toEqual({ text });
      }),
    );
  });
});
