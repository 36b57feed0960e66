import { expect, test } from "vitest";
import { briefPrompt, briefUpdatePrompt } from "./brief-prompt.ts";

const brief = {
  title: "Fix it",
  goal: "It works.",
  room: "web",
  constraints: ["no", "never"],
  acceptance: ["yes"],
};

test("formats every part of a brief", () => {
  expect(briefPrompt(brief, ["src/a", "src/b"])).toBe(
    `# Fix it

It works.

Stay within the room \`web\`: \`src/a\`, \`src/b\`.

Constraints:
- no
- never

It is done when:
- yes`,
  );
  expect(briefPrompt(brief)).toContain("Stay within the room `web`.");
});

test("omits empty parts", () => {
  expect(briefPrompt({ title: "T", goal: "G", constraints: [], acceptance: [] })).toBe("# T\n\nG");
});

test("says that a changed brief replaces others", () => {
  const text = briefUpdatePrompt(brief, ["src/a"]);
  expect(text).toMatch(/^This is the whole brief of your task as it is now\./);
  expect(text).toContain(`\n\n${briefPrompt(brief, ["src/a"])}`);
});
