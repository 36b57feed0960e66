import { expect, test } from "vitest";
import { emptyKeyedMap, keyedMap, type KeyedMap } from "./keyed-map.ts";

/** A small deterministic generator of numbers below a limit. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % limit;
  };
}

test.each([1, 2, 3, 4, 5])("behaves as a Map over random changes, also after JSON (seed %i)", (seed) => {
  const random = createRandom(seed);
  const model = new Map<string, number>();
  let map: KeyedMap<number> = emptyKeyedMap;
  for (let step = 0; step < 3000; step += 1) {
    const key = `call-${random(400)}`;
    if (random(3) === 0) {
      model.delete(key);
      map = keyedMap.remove(map, key);
    } else {
      model.set(key, step);
      map = keyedMap.set(map, key, step);
    }
    if (step % 500 === 0) map = JSON.parse(JSON.stringify(map)) as KeyedMap<number>;
    expect(map.size).toBe(model.size);
    expect(keyedMap.get(map, key)).toBe(model.get(key));
  }
  expect(keyedMap.entries(map)).toEqual([...model]);
});

test("a key that is inherited by objects is absent until it is set", () => {
  for (const key of ["constructor", "__proto__", "toString", "length", "0", ""]) {
    expect(keyedMap.get(emptyKeyedMap, key)).toBeUndefined();
    const map = keyedMap.set(emptyKeyedMap, key, key);
    expect(keyedMap.get(map, key)).toBe(key);
    expect(keyedMap.remove(map, key).size).toBe(0);
  }
});

test("does not change the map that it is given", () => {
  const before = keyedMap.from(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, at])));
  const stored = JSON.stringify(before);
  keyedMap.set(before, "k1", 99);
  keyedMap.remove(before, "k2");
  expect(JSON.stringify(before)).toBe(stored);
});

test("keys that come and go leave nothing behind", () => {
  let map: KeyedMap<number> = emptyKeyedMap;
  for (let at = 0; at < 2000; at += 1) map = keyedMap.set(map, `call-${at}`, at);
  for (let at = 0; at < 2000; at += 1) map = keyedMap.remove(map, `call-${at}`);
  expect(map).toEqual(emptyKeyedMap);
});

test("an update copies a number of entries that does not grow with the map", () => {
  const copiedBy = (size: number): number => {
    let map: KeyedMap<number> = emptyKeyedMap;
    for (let at = 0; at < size; at += 1) map = keyedMap.set(map, `call-${at}`, at);
    return countNew(keyedMap.set(map, "call-17", -1).trie, map.trie);
  };
  expect(copiedBy(20_000)).toBeLessThanOrEqual(2 * copiedBy(500));
  expect(copiedBy(20_000)).toBeLessThan(150);
});

/** Counts the members of objects that one trie does not share with another. */
function countNew(trie: unknown, before: unknown): number {
  if (trie === before || typeof trie !== "object" || trie === null) return 0;
  const entries = Object.entries(trie);
  const old = (typeof before === "object" && before !== null ? before : {}) as Record<string, unknown>;
  return entries.reduce((sum, [key, value]) => sum + countNew(value, old[key]), entries.length);
}
