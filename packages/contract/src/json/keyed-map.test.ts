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

/** Pairs of blocks. After the blocks before it, both of a pair have the same effect on the fast hash. */
const collidingBlocks = [
  ["1e56rtr", "0f94688"],
  ["100l7js", "0may6i3"],
  ["1ddo14d", "0krgalb"],
  ["10z6tws", "150knqy"],
  ["0vfmb4d", "14vgg2r"],
  ["1avt43g", "1vu98wf"],
  ["10oywdw", "0gowtlj"],
  ["182jueb", "1g64iwg"],
  ["0j0c32z", "0pjnmh9"],
  ["100l7js", "0may6i3"],
];

test("keys with equal hashes cost no more than others, also in a trie of an older version", () => {
  const keys = collidingBlocks.reduce(
    (begins, pair) => begins.flatMap((begin) => pair.map((end) => begin + end)),
    [""],
  );
  expect(new Set(keys).size).toBe(1024);
  let map: KeyedMap<number> = emptyKeyedMap;
  for (const [at, key] of keys.entries()) map = keyedMap.set(map, key, at);
  expect(countNew(keyedMap.set(map, keys[17]!, -1).trie, map.trie)).toBeLessThan(500);
  expect(largestBucket(map.trie)).toBeLessThanOrEqual(32);
  expect(keyedMap.entries(map)).toEqual(keys.map((key, at) => [key, at]));

  // Older versions kept all of them in one bucket, after the six digits of the hash.
  const entries = keyedMap.entries(map).map(([key, value], order) => [key, value, order] as const);
  const pathOf = (trie: unknown): number[] => {
    const branches = (trie as { branches?: readonly unknown[] }).branches ?? [];
    const used = branches.flatMap((branch, digit) => (branch === null ? [] : digit));
    return used.length === 1 ? [used[0]!, ...pathOf(branches[used[0]!])] : [];
  };
  const digits = pathOf(map.trie);
  expect(digits).toHaveLength(6);
  const trie = digits.reduceRight<KeyedMap<number>["trie"]>(
    (inner, digit) => ({ branches: Array.from({ length: 32 }, (_, at) => (at === digit ? inner : null)) }),
    entries,
  );
  let older: KeyedMap<number> = { size: 1024, added: 1024, trie };
  expect(keyedMap.get(older, keys[1000]!)).toBe(1000);
  older = keyedMap.set(older, keys[1000]!, 1000);
  expect(older).toEqual(map);
  for (const key of keys) older = keyedMap.remove(older, key);
  expect(older).toEqual(emptyKeyedMap);
});

/** The number of entries in the largest bucket of a trie. */
function largestBucket(trie: KeyedMap<unknown>["trie"]): number {
  if (!("branches" in trie)) return trie.length;
  return Math.max(...trie.branches.map((branch) => (branch === null ? 0 : largestBucket(branch))));
}

/** Counts the members of objects that one trie does not share with another. */
function countNew(trie: unknown, before: unknown): number {
  if (trie === before || typeof trie !== "object" || trie === null) return 0;
  const entries = Object.entries(trie);
  const old = (typeof before === "object" && before !== null ? before : {}) as Record<string, unknown>;
  return entries.reduce((sum, [key, value]) => sum + countNew(value, old[key]), entries.length);
}
