import { expect, test } from "vitest";
import { scopeKey } from "./scope-key.ts";

test.each(["", "a b", "ü", "x".repeat(201)])("rejects the key %j", (key) => {
  expect(() => scopeKey(key)).toThrow(expect.objectContaining({ code: "invalid-request" }));
});

test("keeps the owner's keys, and makes those of each token different from all others", () => {
  const owner = { id: null, label: "owner" };
  const [phone, bot] = ["1", "2"].map((id) => ({ id, label: "same" }));
  expect([scopeKey("k"), scopeKey("k", owner)]).toEqual(["k", "k"]);
  expect(new Set([scopeKey("k"), scopeKey("k", phone), scopeKey("k", bot)]).size).toBe(3);
});
