import { expect, test } from "vitest";
import { type FollowInput, type FollowState, nextFollowState } from "./follow.ts";

const following: FollowState = { isFollowing: true, offset: 1000 };
const scrolled = (offset: number, distance: number, isOurs = false): FollowInput => ({
  type: "scrolled",
  offset,
  distance,
  isOurs,
});

function run(state: FollowState, ...inputs: readonly FollowInput[]): boolean {
  return inputs.reduce(nextFollowState, state).isFollowing;
}

test.each([
  ["an intent to move up detaches before the list moves", [{ type: "intent up" }], false],
  ["a small move up near the end stays detached", [{ type: "intent up" }, scrolled(990, 10)], false],
  ["a move up with the scroll bar detaches", [scrolled(900, 100)], false],
  ["moving down into the last 40 pixels attaches", [scrolled(900, 100), scrolled(960, 40)], true],
  ["moving down to 41 pixels does not", [scrolled(900, 100), scrolled(959, 41)], false],
  ["a move of the page itself changes nothing", [scrolled(900, 100, true)], true],
  ["a move of the page itself does not attach", [{ type: "intent up" }, scrolled(1100, 0, true)], false],
  ["the button attaches", [{ type: "intent up" }, { type: "to end" }], true],
  ["a list that shrank to its end keeps following", [scrolled(900, 0)], true],
] as const)("%s", (_, inputs, isFollowing) => {
  expect(run(following, ...inputs)).toBe(isFollowing);
});
