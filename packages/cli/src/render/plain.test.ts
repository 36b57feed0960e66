// oxlint-disable no-control-regex -- control characters are what this file is about
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonLine, plain, revealed } from "./plain.ts";

const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/;

/** Text that is full of what terminals obey, in every order. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("\x1b", "\x1b[", "\x9b", "\x1b]", "\x9d", "\x1bP", "\x90", "\x07", "\x1b\\", "\x9c", "\r", "\n"),
      fc.constantFrom("31m", "2J", "0;title", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800", "\x7f", "\x00", "\x85"),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

describe("plain", () => {
  it("leaves nothing that a terminal obeys, whatever the text", () => {
    fc.assert(
      fc.property(hostile, (text) => !harmful.test(plain(text))),
      { numRuns: 2000 },
    );
  });

  it("changes nothing when it is done twice", () => {
    fc.assert(fc.property(hostile, (text) => plain(plain(text)) === plain(text)));
  });

  it("leaves text for people as it is", () => {
    const text = "Grüße, 世界 🎉\n\tindented\n";
    expect(plain(text)).toBe(text);
  });

  it.each([
    ["a colour", "a\x1b[1;31mred\x1b[0m", "ared"],
    ["a colour in one byte", "a\x9b31mred", "ared"],
    ["a cursor movement", "one\x1b[2A\x1b[Ktwo", "onetwo"],
    ["a title, ended by a bell", "a\x1b]0;title\x07b", "ab"],
    ["a link, ended by a string terminator", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["a device control string", "a\x1bPq#0;2\x1b\\b", "ab"],
    ["a character set", "a\x1b(0b", "ab"],
    ["an unfinished sequence", "a\x1b[3", "a"],
    ["a string that is never closed, up to the end of its line", "a\x1b]0;rest\nnext", "a\nnext"],
    ["line ends of other systems", "a\r\nb\rc", "a\nb\nc"],
    ["what turns the direction of text", "a\u202eb\u2066c", "abc"],
    ["what takes no room", "a\u200bb\ufeffc\u200d", "abc"],
  ])("takes out %s", (_, text, expected) => {
    expect(plain(text)).toBe(expected);
  });
});

describe("revealed", () => {
  it("spells what would be hidden, so that nothing is left out of what a person allows", () => {
    expect(revealed("ls \x1b]0;$(rm -rf ~)\x07")).toBe("ls \\u{1b}]0;$(rm -rf ~)\\u{7}");
  });

  it("is as harmless as plain text", () => {
    fc.assert(fc.property(hostile, (text) => !harmful.test(revealed(text))));
  });
});

describe("jsonLine", () => {
  it("is one harmless line that says exactly what it was given", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = jsonLine({ text });
        expect(line).not.toMatch(harmful);
        expect(line).not.toContain("\n");
        expect(JSON.parse(line)).toEqual({ text });
      }),
    );
  });
});
