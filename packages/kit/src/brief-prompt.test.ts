import { expect, test } from "vitest";
import { briefPrompt } from "./brief-prompt.ts";

test("formats every part of a brief", () => {
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

test("omits empty parts", () => {
  expect(briefPrompt({ title: "T", goal: "G", constraints: [], acceptance: [] })).toBe("# T\n\nG");
});
