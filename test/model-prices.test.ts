import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findModelPrice, priceListVersion } from "../packages/runtime/src/prices/find-model-price.ts";

test("finds list prices by the model's name and host", async () => {
  expect(await findModelPrice("anthropic", "claude-sonnet-4-20250514")).toEqual({
    uncached: 3,
    cacheRead: 0.3,
    cacheWrite: 3.75,
    output: 15,
  });
  // Without a price of its own, cached input costs what other input costs.
  const { cacheWrite, uncached } = (await findModelPrice("openai", "gpt-5")) ?? {};
  expect(cacheWrite).toBe(uncached);
  expect(uncached).toBe(1.25);
  expect(await findModelPrice("unknown", "gpt-5")).toEqual(await findModelPrice("openai", "gpt-5"));
});

test("takes the lower price where it depends on the length of the input", async () => {
  expect(await findModelPrice("google", "gemini-2.5-pro")).toMatchObject({ uncached: 1.25, output: 10 });
});

test.each([
  ["openai", "no-such-model"],
  ["a-host-of-mine", "gpt-5"],
  ["", ""],
  ["__proto__", "constructor"],
])("has no price for a model that the list lacks: %s %s", async (provider, model) => {
  expect(await findModelPrice(provider, model)).toBeNull();
});

test("names the version of the list that is installed", () => {
  const entry = createRequire(new URL("../packages/runtime/src/", import.meta.url)).resolve("@pydantic/genai-prices");
  const manifest = JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8")) as { version: string };
  expect(manifest.version).toBe(priceListVersion);
});
