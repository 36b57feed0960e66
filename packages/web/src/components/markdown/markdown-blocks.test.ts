import fc from "fast-check";
import { lexer } from "marked";
import { expect, test } from "vitest";
import { emptyBlocks, extendBlocks } from "./markdown-blocks.ts";

const piece = fc.constantFrom(
  "word ",
  "\n",
  "\n\n",
  "# Title\n",
  "- item\n",
  "1. one\n",
  "> quote\n",
  "```ts\n",
  "```\n",
  "| a | b |\n|---|---|\n",
  "| 1 | 2 |\n",
  "    code\n",
  "<b>html</b>\n",
  "`x` ",
  "\tb",
  "\r\n",
);

test("blocks joined are the text, however it arrives", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat({ max: 30 })), (pieces, cuts) => {
      const text = pieces.join("");
      let blocks = emptyBlocks;
      for (let at = 0, cut = 0; at < text.length; cut++) {
        at += 1 + (cuts[cut] ?? 5);
        const before = blocks.finished;
        blocks = extendBlocks(blocks, text.slice(0, at));
        // A block that has ended is never parsed again.
        expect(blocks.finished.slice(0, before.length)).toEqual(before);
      }
      expect(blocks.finished.join("") + blocks.tail).toBe(text.replaceAll("\r\n", "\n"));
    }),
    { numRuns: 500 },
  );
});

test("a streamed text has the blocks that it has at once", () => {
  const text =
    "# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n| a |\n|---|\n| 1 |\n\nEnd.";
  let blocks = emptyBlocks;
  for (let at = 1; at <= text.length; at++) blocks = extendBlocks(blocks, text.slice(0, at));
  const types = [...blocks.finished, blocks.tail].map((source) => lexer(source)[0]?.type);
  expect(types).toEqual(["heading", "paragraph", "list", "code", "table", "paragraph"]);
});

test("an open code block is not parsed again for each line", () => {
  const lines = Array.from({ length: 20_000 }, (_, line) => `const line${line} = ${line};\n`);
  let blocks = extendBlocks(emptyBlocks, "```ts\n");
  let text = "```ts\n";
  const start = performance.now();
  for (let at = 0; at < lines.length; at += 100) {
    text += lines.slice(at, at + 100).join("");
    blocks = extendBlocks(blocks, text);
  }
  expect(blocks.tail).toBe(text);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("another text replaces the blocks", () => {
  const blocks = extendBlocks(extendBlocks(emptyBlocks, "one\n\ntwo"), "three");
  expect(blocks).toEqual({ text: "three", finished: [], tail: "three" });
});
