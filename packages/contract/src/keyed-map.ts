/**
 * An immutable map from texts to values. Plain JSON, so that it can be part of a stored state. An update copies a few
 * small objects, however many entries there are: a turn with 20,000 open calls costs no more per call than one with 500.
 * Keys may be chosen by an agent: a key such as `constructor` finds nothing that was not set.
 */
export interface KeyedMap<Value> {
  readonly size: number;
  /** Number of keys that were added since the map was empty. Gives each entry its place in the order of insertion. */
  readonly added: number;
  readonly trie: Trie<Value>;
}

/** Entries whose hashes share a path, or the next digit of that path. */
type Trie<Value> = readonly Entry<Value>[] | Branches<Value>;
interface Branches<Value> {
  readonly [digit: string]: Trie<Value>;
}
type Entry<Value> = readonly [key: string, value: Value, order: number];

/** A bucket with more entries is split, unless all digits of the hash are used. */
const maxBucketSize = 8;
const hashDigits = 8;

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
    const order = findEntry(trie, key)?.[2];
    const changed = withEntry(trie, hashOf(key), 0, [key, value, order ?? added]);
    return order === undefined ? { size: size + 1, added: added + 1, trie: changed } : { size, added, trie: changed };
  },

  remove<Value>(map: StoredMap<Value>, key: string): KeyedMap<Value> {
    const upgraded = upgrade(map);
    if (findEntry(upgraded.trie, key) === undefined) return upgraded;
    if (upgraded.size === 1) return emptyKeyedMap;
    const { size, added, trie } = upgraded;
    return { size: size - 1, added, trie: withoutEntry(trie, hashOf(key), 0, key) };
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

function findEntry<Value>(trie: Trie<Value>, key: string): Entry<Value> | undefined {
  const hash = hashOf(key);
  let found: Trie<Value> | undefined = trie;
  for (let depth = 0; found !== undefined && !isBucket(found); depth += 1) found = found[digitOf(hash, depth)];
  return found?.find(([name]) => name === key);
}

function withEntry<Value>(trie: Trie<Value>, hash: number, depth: number, entry: Entry<Value>): Trie<Value> {
  if (!isBucket(trie)) {
    const digit = digitOf(hash, depth);
    return { ...trie, [digit]: withEntry(trie[digit] ?? [], hash, depth + 1, entry) };
  }
  const at = trie.findIndex(([key]) => key === entry[0]);
  const bucket = at < 0 ? [...trie, entry] : trie.with(at, entry);
  if (bucket.length <= maxBucketSize || depth === hashDigits) return bucket;
  let branches: Trie<Value> = {};
  for (const moved of bucket) branches = withEntry(branches, hashOf(moved[0]), depth, moved);
  return branches;
}

function withoutEntry<Value>(trie: Trie<Value>, hash: number, depth: number, key: string): Trie<Value> {
  if (isBucket(trie)) return trie.filter(([name]) => name !== key);
  const digit = digitOf(hash, depth);
  const { [digit]: branch = [], ...others } = trie;
  const remaining = withoutEntry(branch, hash, depth + 1, key);
  // An empty bucket is removed, so that keys that come and go leave nothing behind.
  if (!isBucket(remaining) || remaining.length > 0) return { ...others, [digit]: remaining };
  return Object.keys(others).length > 0 ? others : [];
}

function* listEntries<Value>(trie: Trie<Value>): Generator<Entry<Value>> {
  if (isBucket(trie)) yield* trie;
  else for (const branch of Object.values(trie)) yield* listEntries(branch);
}

/** FNV-1a with a final mix, so that keys that differ only in their last digits get different first digits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function digitOf(hash: number, depth: number): string {
  return ((hash >>> (depth * 4)) & 15).toString(16);
}
