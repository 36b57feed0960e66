import { expect, test } from "vitest";
import { awaitBoth } from "./await-both.ts";

test("returns what both tasks give", async () => {
  expect(await awaitBoth(Promise.resolve(1), Promise.resolve("two"))).toEqual([1, "two"]);
});

test("throws the error of a task when the other one has ended", async () => {
  const other = Promise.withResolvers<void>();
  let hasEnded = false;
  const both = awaitBoth(Promise.reject(new Error("no disk")), other.promise).finally(() => (hasEnded = true));
  both.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasEnded).toBe(false);
  other.resolve();
  await expect(both).rejects.toThrow("no disk");
  await expect(awaitBoth(Promise.resolve(), Promise.reject(new Error("no memory")))).rejects.toThrow("no memory");
});
