import { describe, expect, test } from "vitest";
import type { OpenPart } from "./opened-engine.ts";

const pathLikeKeys = ["../x", "../../etc/passwd", "/x", "./x", "x", "x/", "x//y", "x/y", "x/../y", ".", "..", "..\\x"];
const reservedKeys = [
  "con",
  "nul.txt",
  "trailing.",
  "trailing..",
  "trailing ",
  " leading",
  "a:b",
  "a*",
  '"',
  "-rf",
  "~",
];
const encodedKeys = ["%2e%2e", "%", "_", "%00", "$HOME", "A", "a", "ü", "u\u0308", "😀", "\uffff", "\u{10000}"];
const controlKeys = ["\n", "\t", "\u0001", "\u007f", "\u202e"];
const longKeys = ["x".repeat(1000), `${"x".repeat(999)}y`, "ü".repeat(1000), "\u0001".repeat(1000), "a/".repeat(500)];
const oddKeys = [pathLikeKeys, reservedKeys, encodedKeys, controlKeys, longKeys, "😀".repeat(500)].flat();

export function testObjectKeys(open: OpenPart<"objects">): void {
  describe("keys", () => {
    test("keeps odd keys apart, and lists them as they were given, in the order of their bytes", async () => {
      await using engine = await open();
      const store = engine.objects;
      for (const [n, key] of oddKeys.entries()) await store.put(key, Buffer.from(`${n}`));
      for (const [n, key] of oddKeys.entries()) {
        expect(Buffer.from((await store.get(key)) ?? []).toString(), JSON.stringify(key)).toBe(`${n}`);
      }
      const sorted = oddKeys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(await Array.fromAsync(store.list(""))).toEqual(sorted);
      for (const key of oddKeys) {
        await store.remove(key);
        expect(await store.get(key), JSON.stringify(key)).toBeUndefined();
      }
      expect(await Array.fromAsync(store.list(""))).toEqual([]);
    });

    test("lists the keys that begin with a prefix, which is text and no pattern", async () => {
      await using engine = await open();
      const keys = ["a", "a/1", "a/10", "a/2", "a/2/x", "ab", "A/1", "a%", "a_", "a*", "b/a/1", "ü/1", "u\u0308/1"];
      for (const key of keys) await engine.objects.put(key, Buffer.from("x"));
      const list = async (prefix: string): Promise<string[]> => await Array.fromAsync(engine.objects.list(prefix));
      expect(await list("a/")).toEqual(["a/1", "a/10", "a/2", "a/2/x"]);
      expect(await list("a/1")).toEqual(["a/1", "a/10"]);
      expect(await list("a%")).toEqual(["a%"]);
      expect(await list("a_")).toEqual(["a_"]);
      expect(await list("a*")).toEqual(["a*"]);
      expect(await list("ü")).toEqual(["ü/1"]);
      expect(await list("../")).toEqual([]);
      expect(await list("x".repeat(2000))).toEqual([]);
    });

    test.for(["", "x".repeat(1001), "a\u0000b", "\ud800", "a\udc00b"])("rejects the key %j", async (key) => {
      await using engine = await open();
      const invalid = { code: "invalid-request" };
      await expect(engine.objects.put(key, Buffer.from("x"))).rejects.toMatchObject(invalid);
      await expect(engine.objects.get(key)).rejects.toMatchObject(invalid);
      await expect(engine.objects.remove(key)).rejects.toMatchObject(invalid);
      expect(await Array.fromAsync(engine.objects.list(""))).toEqual([]);
    });
  });
}
