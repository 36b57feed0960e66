import type { ToolContext } from "@fairlead/contract";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";

const context: ToolContext = {
  session: "s",
  call: "c",
  key: "s/7",
  workspace: "/w",
  signal: new AbortController().signal,
};

const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.strictObject({ to: z.int().max(10), by: z.int().default(1) }),
  authorize: (_context, { to }) => (to === 9 ? "Nine is too many." : null),
  run: ({ to, by }, { key }) => {
    if (to === 8) throw new Error("The counter is broken.");
    return { to, by, key };
  },
});

test("offers a schema in which a field with a default is not required", () => {
  expect(count.offer).toEqual({
    name: "count",
    description: "Counts.",
    inputSchema: {
      type: "object",
      properties: {
        to: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: 10 },
        by: { type: "integer", default: 1, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      },
      required: ["to"],
      additionalProperties: false,
    },
  });
});

test("runs with the defaults filled in, and returns a value as JSON", async () => {
  expect(await count.use({ to: 3 }, context)).toEqual({ outcome: "done", text: '{"to":3,"by":1,"key":"s/7"}' });
});

test.each([
  [{ to: 9 }, "denied", "Nine is too many."],
  [{ to: 8 }, "failed", "The counter is broken."],
  [{ to: "x" }, "failed", "The input is invalid"],
  [null, "failed", "The input is invalid"],
])("answers %j in words that the agent can read", async (input, outcome, text) => {
  expect(await count.use(input, context)).toEqual({ outcome, text: expect.stringContaining(text) });
});

test.each([
  [undefined, "done"],
  [true, "done"],
  [false, "denied"],
])("an `authorize` without types that returns %s means %s", async (answer, outcome) => {
  const authorize = (() => answer) as unknown as () => null;
  const tool = defineTool({ name: "loose", description: "d", input: z.object({}), authorize, run: () => "" });
  expect(await tool.use({}, context)).toMatchObject({ outcome });
});

test("a run without a value is done", async () => {
  const silent = defineTool({ name: "silent", description: "d", input: z.object({}), run: () => undefined });
  expect(await silent.use({}, context)).toEqual({ outcome: "done", text: "Done." });
});

test.each(["Report", "a-b", "", "a".repeat(41), "1a", "a__b", "a_"])("refuses the name %j", (name) => {
  expect(() => defineTool({ name, description: "d", input: z.object({}), run: () => "" })).toThrow();
});
