import { expect, test } from "vitest";
import { describeFind, type FindProgress, moveFind, needsOlder, startFind, withOlder } from "./find-progress.ts";

const page = (next: number | null, ...sequences: number[]) => ({
  matches: sequences.map((sequence) => {
    return { sequence, turn: null, kind: "text.ended", excerpt: "needle", offset: 0, length: 6 };
  }),
  next,
});

const shown = ({ matches, at }: FindProgress): number | undefined => matches[at]?.sequence;

test("walks from the newest match to the oldest one and back, over pages", () => {
  let find = startFind("needle");
  expect(needsOlder(find)).toBe(true);
  find = moveFind(withOlder(find, page(40, 90, 50)), "older");
  expect([shown(find), describeFind(find, false)]).toEqual([90, "1 of 2+"]);
  expect(needsOlder(find)).toBe(false);
  find = moveFind(find, "older");
  expect([shown(find), needsOlder(find)]).toEqual([50, true]);
  expect(describeFind(find, true)).toBe("2 of 2+, searching…");
  find = moveFind(withOlder(find, page(null, 7)), "older");
  expect([shown(find), describeFind(find, false)]).toEqual([7, "3 of 3, the oldest"]);
  expect([needsOlder(find), shown(moveFind(find, "older"))]).toEqual([false, 7]);
  find = moveFind(find, "newer");
  expect([shown(find), describeFind(find, false)]).toEqual([50, "2 of 3"]);
  find = moveFind(moveFind(find, "newer"), "newer");
  expect(shown(find)).toBe(90);
});

test("says how far a search without a match is, and that it reached the beginning", () => {
  const find = startFind("needle");
  expect([describeFind(startFind(""), false), describeFind(find, true)]).toEqual(["", "Searching…"]);
  const half = withOlder(find, page(30_001));
  expect(describeFind(half, true)).toBe("Searching before #30001…");
  expect(needsOlder(half)).toBe(true);
  const whole = withOlder(half, page(null));
  expect(describeFind(whole, false)).toBe("Not found, searched to the beginning");
  expect(shown(moveFind(whole, "older"))).toBeUndefined();
});
