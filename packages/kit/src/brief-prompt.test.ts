import { expect, test } from "vitest";
import { briefPrompt } from "./brief-prompt.ts";

test("a brief becomes words, part by part", () => {
  const brief = {
    title: "Fix it",
    goal: "It works.",
    room: "src/a",
    constraints: ["no", "never"],
    acceptance: ["yes"],
  };
  expect(briefPrompt(brief)).toBe(
    `# Fix it

It works.

Stay within \`src/a\`.

Constraints:
- no
- never

It is done when:
- yes`,
  );
});

test("what a brief does not say is not said", () => {
  expect(briefPrompt({ title: "T", goal: "G", constraints: [], acceptance: [] })).toBe("# T\n\nG");
});
