import { expect, test } from "vitest";
import { ContentBlock, textOfContent } from "./content-block.ts";

test.each([
  ["plain words", "plain words"],
  [
    [
      { type: "text", text: "a" },
      { type: "image", source: {} },
      { type: "text", text: "b" },
    ],
    "ab",
  ],
  [[{ type: "text" }], ""],
  [[{ type: "never heard of" }], ""],
  [{ type: "text", text: "not in a list" }, ""],
  [undefined, ""],
])("the words of %j are %j", (content, words) => {
  expect(textOfContent(content)).toBe(words);
});

test("a block keeps what it has beside what is known of it", () => {
  const block = { type: "tool_result", tool_use_id: "t", content: "x", is_error: null, cache_control: {} };
  expect(ContentBlock.parse(block)).toEqual(block);
});
