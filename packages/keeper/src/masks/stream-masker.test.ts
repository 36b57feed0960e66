import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { type BytePattern, BytePatterns } from "./byte-patterns.ts";
import { StreamMasker } from "./stream-masker.ts";

/** Few letters, so that texts overlap, contain each other and begin alike. */
const anyText = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 8, maxLength: 24 });
const anyPatterns = fc.uniqueArray(anyText, { minLength: 1, maxLength: 6 }).map((texts) => texts.map(patternOf));
const anyStream = anyPatterns.chain((patterns) => {
  const texts = patterns.map(({ text }) => text.toString());
  const piece = fc.oneof(
    fc.constantFrom(...texts),
    fc.constantFrom(...texts).chain((text) => fc.nat(text.length).map((length) => text.slice(0, length))),
    fc.string({ unit: fc.constantFrom("a", "b", "\n", "é"), maxLength: 6 }),
  );
  const data = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join("")));
  return fc.record({
    patterns: fc.constant(patterns),
    data,
    cuts: fc.array(fc.nat(300), { maxLength: 8 }),
  });
});

function patternOf(text: string, index = 0): BytePattern {
  return { text: Buffer.from(text), replacement: Buffer.from("X".repeat(text.length - 1) + String(index)) };
}

function split(data: Buffer, cuts: readonly number[]): Buffer[] {
  const bounds = [
    0,
    ...cuts.map((cut) => Math.min(cut, data.length)).toSorted((one, other) => one - other),
    data.length,
  ];
  return bounds.slice(1).map((end, index) => data.subarray(bounds[index], end));
}

/** The definition: from left to right, the longest text that begins at a byte is replaced. */
function replaceNaively(data: Buffer, patterns: readonly BytePattern[]): Buffer {
  const output = Buffer.from(data);
  for (let at = 0; at < data.length;) {
    const matches = patterns.filter(({ text }) => data.subarray(at, at + text.length).equals(text));
    const longest = matches.toSorted((one, other) => other.text.length - one.text.length)[0];
    if (longest !== undefined) output.set(longest.replacement, at);
    at += longest?.text.length ?? 1;
  }
  return output;
}

function isBeginning(data: Buffer, patterns: readonly BytePattern[]): boolean {
  return patterns.some(({ text }) => text.length > data.length && text.subarray(0, data.length).equals(data));
}

function maskerFor(patterns: readonly BytePattern[]): StreamMasker {
  const compiled = new BytePatterns(patterns);
  return new StreamMasker(() => compiled);
}

test("replaces each text, wherever the chunks are split", () => {
  fc.assert(
    fc.property(anyStream, ({ patterns, data, cuts }) => {
      const line = Buffer.concat([data, Buffer.from("\n")]);
      const masker = maskerFor(patterns);
      const output = Buffer.concat(split(line, cuts).map((chunk) => masker.push(chunk)));
      expect(output.toString()).toBe(replaceNaively(line, patterns).toString());
      expect(new BytePatterns(patterns).replaceAll(line).toString()).toBe(output.toString());
    }),
    { numRuns: 2000 },
  );
});

test("holds back only what may begin a text", () => {
  fc.assert(
    fc.property(anyStream, ({ patterns, data, cuts }) => {
      const masker = maskerFor(patterns);
      let received = 0;
      let returned = 0;
      for (const chunk of split(data, cuts)) {
        received += chunk.length;
        returned += masker.push(chunk).length;
        expect(masker.isHolding).toBe(received > returned);
        if (masker.isHolding) expect(isBeginning(data.subarray(returned, received), patterns)).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test("returns every byte once, and no text, if it releases after each chunk", () => {
  fc.assert(
    fc.property(anyStream, ({ patterns, data, cuts }) => {
      const masker = maskerFor(patterns);
      let output = Buffer.alloc(0);
      let received = 0;
      for (const chunk of split(data, cuts)) {
        received += chunk.length;
        output = Buffer.concat([output, masker.push(chunk), masker.release()]);
        expect(output.length).toBe(received);
        expect(masker.isHolding).toBe(false);
      }
      for (const { text } of patterns) expect(output.includes(text)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

describe("a text that pauses", () => {
  const secret = "sk-0123456789abcdef";
  const pattern: BytePattern = { text: Buffer.from(secret), replacement: Buffer.from("XXXXXXXXXXXXXTagTag") };

  test("appears with fewer than 8 of its characters", () => {
    for (let at = 1; at < secret.length; at++) {
      const masker = maskerFor([pattern]);
      const chunks = [masker.push(Buffer.from(`key: ${secret.slice(0, at)}`)), masker.release()];
      const output = Buffer.concat([...chunks, masker.push(Buffer.from(`${secret.slice(at)}\n`))]).toString();
      const shown = at < 8 ? secret.slice(0, at) : "";
      expect(output).toBe(`key: ${shown}${pattern.replacement.toString().slice(shown.length)}\n`);
    }
  });

  test("is masked from its eighth character, if each comes alone", () => {
    const masker = maskerFor([pattern]);
    const output = Array.from(secret, (one) => masker.push(Buffer.from(one)).toString() + masker.release().toString());
    expect(output.join("")).toBe(`sk-0123${pattern.replacement.toString().slice(7)}`);
  });

  test("does not change what follows a beginning that it was not", () => {
    const masker = maskerFor([pattern]);
    masker.push(Buffer.from("sk-012"));
    expect(masker.release().toString()).toBe("sk-012");
    expect(masker.push(Buffer.from("and more\n")).toString()).toBe("and more\n");
  });
});

test("a complete text is masked as such, although a longer one may begin with it", () => {
  const short = patternOf("abababab", 1);
  const masker = maskerFor([short, patternOf("ababababab", 2)]);
  expect(masker.push(Buffer.from("abababab")).toString()).toBe("");
  expect(masker.release().toString()).toBe("XXXXXXX1");
});

// The agent knows its secrets, and can write what is most expensive to search.
test("the time is linear in the output", () => {
  const texts = [`${"a".repeat(500)}b`, `${"ab".repeat(200)}c`, `${"a".repeat(30)}c`];
  const patterns = new BytePatterns(texts.map(patternOf));
  for (const unit of ["a", "ab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab"]) {
    const run = (size: number): unknown => {
      const masker = new StreamMasker(() => patterns);
      const data = Buffer.from(unit.repeat(size / unit.length));
      for (let at = 0; at < data.length; at += 65_536) masker.push(data.subarray(at, at + 65_536));
      return masker;
    };
    expect(measureGrowthExponent(run, 400_000)).toBeLessThan(1.4);
  }
}, 60_000);
