import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Compares as text: a difference in 32 MiB would take long to print. */
function areEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

export function testObjects(open: OpenPart<"objects">, reopen: ReopenPart<"objects"> | undefined): void {
  describe("objects", () => {
    test("stores, replaces and removes an object", async () => {
      await using engines = await openShared(open, reopen);
      const [store, other] = [engines.first.objects, engines.second.objects];
      expect(await other.get("k")).toBeUndefined();
      for (const text of ["one", "a longer text", "", "two"]) {
        await store.put("k", encode(text));
        expect(areEqual(await other.get("k"), encode(text))).toBe(true);
      }
      await other.remove("k");
      expect(await store.get("k")).toBeUndefined();
      await store.remove("k");
      await store.put("k", encode("again"));
      expect(areEqual(await other.get("k"), encode("again"))).toBe(true);
    });

    test("keeps every byte of an object of 32 MiB", async () => {
      await using engines = await openShared(open, reopen);
      const large = randomBytes(32 * 1024 ** 2);
      await engines.first.objects.put("large", large);
      expect(areEqual(await engines.second.objects.get("large"), large)).toBe(true);
      expect(await Array.fromAsync(engines.second.objects.list(""))).toEqual(["large"]);
      await engines.first.objects.put("large", encode("small"));
      expect(areEqual(await engines.second.objects.get("large"), encode("small"))).toBe(true);
    });

    test("keeps every value of a byte, and only the given part of a buffer", async () => {
      await using engine = await open();
      const buffer = Uint8Array.from({ length: 1024 }, (_, n) => n % 256);
      const part = buffer.subarray(100, 700);
      await engine.objects.put("k", part);
      expect(areEqual(await engine.objects.get("k"), part)).toBe(true);
    });

    test("gives each reader its own bytes", async () => {
      await using engine = await open();
      const given = encode("text");
      await engine.objects.put("k", given);
      given.fill(0);
      (await engine.objects.get("k"))?.fill(0);
      expect(areEqual(await engine.objects.get("k"), encode("text"))).toBe(true);
    });

    test("a reader never gets a mix of two objects while they replace each other", async () => {
      await using engines = await openShared(open, reopen);
      // Of different lengths, so that a part of the longer one is found too.
      const versions = [1, 2, 3, 4].map((n) => new Uint8Array(1024 ** 2 + n * 100_000).fill(n));
      await engines.first.objects.put("k", versions[0] as Uint8Array);
      const stop = new AbortController();
      const readRepeatedly = async (name: "second" | "third"): Promise<number> => {
        let count = 0;
        for (; !stop.signal.aborted; count++) {
          const bytes = await engines[name].objects.get("k");
          expect(versions.some((version) => areEqual(bytes, version))).toBe(true);
        }
        return count;
      };
      const readers = [readRepeatedly("second"), readRepeatedly("third")];
      const replaceRepeatedly = async (name: "first" | "second"): Promise<void> => {
        for (let n = 0; n < 20; n++) await engines[name].objects.put("k", versions[n % 4] as Uint8Array);
      };
      await Promise.all([replaceRepeatedly("first"), replaceRepeatedly("second")]);
      stop.abort();
      expect(Math.min(...(await Promise.all(readers)))).toBeGreaterThan(0);
    });

    test("stores and removes many objects at once", async () => {
      await using engines = await openShared(open, reopen);
      const keys = Array.from({ length: 200 }, (_, n) => `key ${String(n).padStart(3, "0")}`);
      const engineOf = (n: number) => (n % 2 === 0 ? engines.first : engines.second).objects;
      await Promise.all(keys.map((key, n) => engineOf(n).put(key, encode(key))));
      const stored = await Promise.all(keys.map((key) => engines.third.objects.get(key)));
      expect(stored.map((bytes) => new TextDecoder().decode(bytes))).toEqual(keys);
      await Promise.all(keys.filter((_, n) => n % 3 === 0).map((key, n) => engineOf(n).remove(key)));
      const rest = await Array.fromAsync(engines.third.objects.list("key"));
      expect(rest).toEqual(keys.filter((_, n) => n % 3 !== 0));
    });

    test("lists the objects that stay while others come and leave", async () => {
      await using engines = await openShared(open, reopen);
      const staying = Array.from({ length: 30 }, (_, n) => `staying ${String(n).padStart(2, "0")}`);
      for (const key of staying) await engines.first.objects.put(key, encode(key));
      const stop = new AbortController();
      const change = (async () => {
        for (let n = 0; !stop.signal.aborted; n++) {
          await engines.first.objects.put(`changing ${n % 5}`, encode("x"));
          await engines.first.objects.put(staying[n % 30] as string, encode(`${n}`));
          await engines.first.objects.remove(`changing ${(n + 2) % 5}`);
        }
      })();
      for (let round = 0; round < 10; round++) {
        const keys = await Array.fromAsync(engines.second.objects.list(""));
        expect(keys.filter((key) => key.startsWith("staying"))).toEqual(staying);
      }
      stop.abort();
      await change;
    });

    if (reopen === undefined) return;
    test("keeps the objects when the engine is closed", async () => {
      const before = await open();
      await before.objects.put("k", encode("text"));
      await before.objects.put("removed", encode("text"));
      await before.objects.remove("removed");
      await before[Symbol.asyncDispose]();
      await using after = await reopen(before);
      expect(areEqual(await after.objects.get("k"), encode("text"))).toBe(true);
      expect(await Array.fromAsync(after.objects.list(""))).toEqual(["k"]);
    });
  });
}
