import { expect, it } from "vitest";
import { chosen } from "./chosen.ts";

const options = [{ label: "red" }, { label: "blue" }, { label: "green" }];

it.each([
  ["a number", false, "2", "blue"],
  ["several numbers", true, "1, 3", "red, green"],
  ["words of one's own", false, "rather pink", "rather pink"],
  ["words with a comma", true, "pink, or 2", "pink, or 2"],
  ["a number that is not there", false, "4", null],
  ["nought", false, "0", null],
  ["nothing", false, "  ", null],
])("takes %s", (_, several, typed, answer) => {
  expect(chosen({ text: "Which?", options, several }, typed)).toBe(answer);
});

it("takes a number as it is where there is nothing to choose from", () => {
  expect(chosen({ text: "How many?", options: [], several: false }, "4")).toBe("4");
});
