import fc from "fast-check";
import { expect, test } from "vitest";
import { StreamedText } from "./streamed-text.ts";

interface Script {
  readonly pieces: readonly { readonly text: string; readonly received: boolean }[];
  readonly parts: readonly string[];
  /** For each part, how many characters of later parts arrive as deltas before it. */
  readonly ahead: readonly number[];
}

const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
const script = (received: fc.Arbitrary<boolean>): fc.Arbitrary<Script> =>
  fc
    .record({
      pieces: fc.array(fc.record({ text, received })),
      cuts: fc.array(fc.nat(60), { maxLength: 5 }),
      ahead: fc.array(fc.nat(30), { minLength: 6, maxLength: 6 }),
    })
    .map(({ pieces, cuts, ahead }) => {
      const whole = pieces.map((piece) => piece.text).join("");
      const ends = [...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
      return { pieces, ahead, parts: ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end)) };
    });

/** Sends deltas and parts in the order of a script. Returns what a reader shows, and how often it began again. */
function play({ pieces, parts, ahead }: Script): { shown: string; repeats: number; isNew: boolean } {
  const streamed = new StreamedText();
  const remaining = [...pieces];
  let [shown, ended, sent, repeats] = ["", "", 0, 0];
  for (const [index, part] of parts.entries()) {
    const until = ended.length + part.length + (ahead[index] ?? 0);
    while (remaining.length > 0 && sent < until) {
      const piece = remaining.shift()!;
      sent += piece.text.length;
      if (piece.received) shown += streamed.append(piece.text);
    }
    const { text: rest, isRepeat } = streamed.end(part, index === parts.length - 1);
    shown = (isRepeat ? ended : shown) + rest;
    repeats += isRepeat ? 1 : 0;
    ended += part;
  }
  return { shown, repeats, isNew: streamed.isNew };
}

test("shows a text once, wherever its parts end among the deltas", () => {
  fc.assert(
    fc.property(script(fc.constant(true)), (given) => {
      expect(play(given)).toEqual({ shown: given.parts.join(""), repeats: 0, isNew: true });
    }),
  );
});

test("shows all of a text if deltas were lost, and begins again at most once", () => {
  fc.assert(
    fc.property(script(fc.boolean()), (given) => {
      const { shown, repeats } = play(given);
      expect(shown).toBe(given.parts.join(""));
      expect(repeats).toBeLessThanOrEqual(1);
    }),
  );
});

test("forgets a text that was not completed", () => {
  const streamed = new StreamedText();
  streamed.append("one");
  streamed.end("two", false);
  streamed.clear();
  expect(streamed.append("three")).toBe("three");
  expect(streamed.end("three", true)).toEqual({ text: "", isRepeat: false });
});
