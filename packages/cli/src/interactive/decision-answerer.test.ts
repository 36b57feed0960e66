import { expect, it } from "vitest";
import { parseQuestionAnswer } from "./decision-answerer.ts";

const options = [{ label: "red" }, { label: "blue" }, { label: "green" }];

it.each([
  ["a number", false, "2", "blue"],
  ["several numbers", true, "1, 3", "red, green"],
  ["free text", false, "rather pink", "rather pink"],
  ["free text with a comma", true, "pink, or 2", "pink, or 2"],
  ["a number out of range", false, "4", null],
  ["zero", false, "0", null],
  ["blank input", false, "  ", null],
])("parses %s", (_, multiSelect, typed, answer) => {
  expect(parseQuestionAnswer({ text: "Which?", options, multiSelect }, typed)).toBe(answer);
});

it("accepts any number if the question has no options", () => {
  expect(parseQuestionAnswer({ text: "How many?", options: [], multiSelect: false }, "4")).toBe("4");
});
