import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * An immutable map from texts to values. Plain JSON, so that it can be part of a stored state. An update copies a few
 * small objects, however many entries there are: a turn with 20,000 open calls costs no more per call than one with 500.
 * Keys may be chosen by an agent: a key such as `constructor` finds nothing that was not set, and keys whose fast hashes
 * are equal cost no more than others.
 */
export interface KeyedMap<Value> {
  readonly size: number;
  /** Number of keys that were added since the map was empty. Gives each entry its place in the order of insertion. */
  readonly added: number;
  readonly trie: Trie<Value>;
}

/** Entries whose keys share a path, or the tries for each next digit of that path. */
type Trie<Value> = readonly Entry<Value>[] | Branches<Value>;
interface Branches<Value> {
  /** By digit. Null where no key leads. */
  readonly branches: readonly (Trie<Value> | null)[];
}
type Entry<Value> = readonly [key: string, value: Value, order: number];

/**
 * A bucket with more entries is split. Small buckets would make tries of many nearly empty branches: with 8 instead of
 * 32, an open call takes half as much memory again. In a trie of an older version, a bucket after the digits of the fast
 * hash may have more.
 */
const maxBucketSize = 32;
const bitsPerDigit = 5;
/** Number of digits that the fast hash of a key has, and its digest after them. */
const hashDigits = 6;
const digestDigits = 32;
const noBranches: readonly null[] = Array.from({ length: 1 << bitsPerDigit }, () => null);

export const emptyKeyedMap: KeyedMap<never> = { size: 0, added: 0, trie: [] };

/** A map, or the plain object that an older version stored in its place. */
type StoredMap<Value> = KeyedMap<Value> | Readonly<Record<string, Value>>;

/** The operations on keyed maps. All are pure. */
export const keyedMap = {
  get<Value>(map: StoredMap<Value>, key: string): Value | undefined {
    return findEntry(upgrade(map).trie, key)?.[1];
  },

  has(map: StoredMap<unknown>, key: string): boolean {
    return findEntry(upgrade(map).trie, key) !== undefined;
  },

  size(map: StoredMap<unknown>): number {
    return upgrade(map).size;
  },

  set<Value>(map: StoredMap<Value>, key: string, value: Value): KeyedMap<Value> {
    const { size, added, trie } = upgrade(map);
    const path = pathOf(key);
    const known = findEntry(trie, key, path);
    if (known === undefined)
      return { size: size + 1, added: added + 1, trie: withAdded(trie, path, 0, [key, value, added]) };
    return { size, added, trie: withReplaced(trie, path, 0, known, [key, value, known[2]]) };
  },

  remove<Value>(map: StoredMap<Value>, key: string): KeyedMap<Value> {
    const upgraded = upgrade(map);
    const path = pathOf(key);
    const known = findEntry(upgraded.trie, key, path);
    if (known === undefined) return upgraded;
    if (upgraded.size === 1) return emptyKeyedMap;
    const { size, added, trie } = upgraded;
    return { size: size - 1, added, trie: withoutEntry(trie, path, 0, known) };
  },

  /** The entries in the order in which their keys were added. Takes time for each entry. */
  entries<Value>(map: StoredMap<Value>): (readonly [key: string, value: Value])[] {
    const entries = [...listEntries(upgrade(map).trie)].toSorted(([, , before], [, , after]) => before - after);
    return entries.map(([key, value]) => [key, value]);
  },

  values<Value>(map: StoredMap<Value>): Value[] {
    return keyedMap.entries(map).map(([, value]) => value);
  },

  /** The map with the entries of an object. */
  from<Value>(source: Readonly<Record<string, Value>>): KeyedMap<Value> {
    let map: KeyedMap<Value> = emptyKeyedMap;
    for (const [key, value] of Object.entries(source)) map = keyedMap.set(map, key, value);
    return map;
  },
} as const;

function upgrade<Value>(map: StoredMap<Value>): KeyedMap<Value> {
  return isKeyedMap(map) ? map : keyedMap.from(map);
}

function isKeyedMap<Value>(map: StoredMap<Value>): map is KeyedMap<Value> {
  return Object.hasOwn(map, "trie") && typeof map["added"] === "number";
}

function isBucket<Value>(trie: Trie<Value>): trie is readonly Entry<Value>[] {
  return Array.isArray(trie);
}

/**
 * Looks at the newest entry of a bucket first, then at the others from the oldest on: a call is used when it was added, and
 * calls often end in the order in which they began. With many entries, each comparison waits for the memory.
 */
function findEntry<Value>(trie: Trie<Value>, key: string, path = pathOf(key)): Entry<Value> | undefined {
  let found: Trie<Value> | null | undefined = trie;
  for (let depth = 0; found !== null && found !== undefined && !isBucket(found); depth += 1) {
    found = found.branches[path.digitAt(depth)];
  }
  const newest = found?.at(-1);
  if (newest === undefined || newest[0] === key) return newest;
  for (const entry of found ?? []) if (entry[0] === key) return entry;
  return undefined;
}

/** Adds an entry with a key that is not in the trie. */
function withAdded<Value>(trie: Trie<Value>, path: KeyPath, depth: number, entry: Entry<Value>): Trie<Value> {
  if (!isBucket(trie)) {
    const digit = path.digitAt(depth);
    return withBranch(trie, digit, withAdded(trie.branches[digit] ?? [], path, depth + 1, entry));
  }
  return splitIfLarge([...trie, entry], depth);
}

function splitIfLarge<Value>(bucket: readonly Entry<Value>[], depth: number): Trie<Value> {
  if (bucket.length <= maxBucketSize || depth === hashDigits + digestDigits) return bucket;
  let split: Trie<Value> = { branches: noBranches };
  for (const moved of bucket) split = withAdded(split, new KeyPath(moved[0]), depth, moved);
  return split;
}

/** Replaces an entry of the trie. */
function withReplaced<Value>(
  trie: Trie<Value>,
  path: KeyPath,
  depth: number,
  known: Entry<Value>,
  entry: Entry<Value>,
): Trie<Value> {
  if (isBucket(trie)) return splitIfLarge(trie.with(trie.indexOf(known), entry), depth);
  const digit = path.digitAt(depth);
  return withBranch(trie, digit, withReplaced(trie.branches[digit] ?? [], path, depth + 1, known, entry));
}

/** Removes an entry of the trie. */
function withoutEntry<Value>(trie: Trie<Value>, path: KeyPath, depth: number, known: Entry<Value>): Trie<Value> {
  if (isBucket(trie)) return trie.toSpliced(trie.indexOf(known), 1);
  const digit = path.digitAt(depth);
  const branch = withoutEntry(trie.branches[digit] ?? [], path, depth + 1, known);
  // An empty bucket is removed, so that keys that come and go leave nothing behind.
  if (!isBucket(branch) || branch.length > 0) return withBranch(trie, digit, branch);
  const changed = withBranch(trie, digit, null);
  return changed.branches.every((other) => other === null) ? [] : changed;
}

/** A copy with one branch replaced. `slice` copies faster than `with`, and most of a change is this copy. */
function withBranch<Value>({ branches }: Branches<Value>, digit: number, branch: Trie<Value> | null): Branches<Value> {
  const copy = branches.slice();
  copy[digit] = branch;
  return { branches: copy };
}

function* listEntries<Value>(trie: Trie<Value>): Generator<Entry<Value>> {
  if (isBucket(trie)) yield* trie;
  else for (const branch of trie.branches) if (branch !== null) yield* listEntries(branch);
}

/** FNV-1a with a final mix, so that keys that differ only in their last digits get different first digits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The digits that lead to a key. */
class KeyPath {
  readonly key: string;
  readonly #hash: number;
  #digest: Uint8Array | undefined;

  constructor(key: string) {
    this.key = key;
    this.#hash = hashOf(key);
  }

  digitAt(depth: number): number {
    const digitMask = (1 << bitsPerDigit) - 1;
    if (depth < hashDigits) return (this.#hash >>> (depth * bitsPerDigit)) & digitMask;
    // An agent can choose many keys with one fast hash, and none with one digest. A random seed would make the state
    // differ between two replays. As JSON, because UTF-8 would make all lone surrogates equal.
    this.#digest ??= sha256(utf8ToBytes(JSON.stringify(this.key)));
    return (this.#digest[depth - hashDigits] ?? 0) & digitMask;
  }
}

let lastPath = new KeyPath("");

/** The path of a key. One event looks its call up in several maps, so the last path is kept. */
function pathOf(key: string): KeyPath {
  if (lastPath.key !== key) lastPath = new KeyPath(key);
  return lastPath;
}
