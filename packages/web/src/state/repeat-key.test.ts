import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { RepeatKey } from "./repeat-key.ts";

function createStorage() {
  const map = new Map<string, string>();
  return {
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, text: string) => void map.set(name, text),
    removeItem: (name: string) => void map.delete(name),
  };
}

test.each(["unavailable", "timed-out", "indeterminate"] as const)(
  "a request that is repeated after %s, also in a page that was loaded again, has the same key",
  (code) => {
    const storage = createStorage();
    const keys = new RepeatKey(storage, "draft");
    const first = keys.keyFor("hello");
    keys.settle(new FairleadError(code, "It may have arrived."));
    expect(new RepeatKey(storage, "draft").keyFor("hello")).toBe(first);
    expect(new RepeatKey(storage, "another").keyFor("hello")).not.toBe(first);
  },
);

test("an error of the page or the network says nothing of the outcome", () => {
  const keys = new RepeatKey(createStorage(), "draft");
  const first = keys.keyFor("hello");
  keys.settle(new TypeError("fetch failed"));
  expect(keys.keyFor("hello")).toBe(first);
});

test("after a success, a refusal or an edit the key is another one", () => {
  const keys = new RepeatKey(createStorage(), "draft");
  const used = [keys.keyFor("hello")];
  keys.settle(null);
  used.push(keys.keyFor("hello"));
  keys.settle(new FairleadError("conflict", "The folder does not exist."));
  used.push(keys.keyFor("hello"), keys.keyFor("hello, you"));
  expect(new Set(used).size).toBe(4);
});
