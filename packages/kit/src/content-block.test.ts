import { expect, test } from "vitest";
import { ContentBlock, textOfContent } from "./content-block.ts";

test.each([
  ["plain text", "plain text"],
  [
    [
      { type: "text", text: "a" },
      { type: "image", source: {} },
      { type: "text", text: "b" },
    ],
    "ab",
  ],
  [[{ type: "text" }], ""],
  [[{ type: "unknown" }], ""],
  [{ type: "text", text: "not in a list" }, ""],
  [undefined, ""],
])("the text of %j is %j", (content, text) => {
  expect(textOfContent(content)).toBe(text);
});

test("keeps the unknown fields of a block", () => {
  const block = { type: "tool_result", tool_use_id: "t", content: "x", is_error: null, cache_control: {} };
  expect(ContentBlock.parse(block)).toEqual(block);
});
