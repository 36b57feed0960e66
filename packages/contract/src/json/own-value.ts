/**
 * Returns the value of an object's own key, or undefined. For every object whose keys come from an agent: a plain
 * `record[key]` also finds inherited members, so an id like `constructor` would return a function instead of nothing.
 */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Returns the object without a key; the same object if the key is not its own. */
export function omitKey<Value>(record: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  if (!Object.hasOwn(record, key)) return record;
  const { [key]: _, ...rest } = record;
  return rest;
}
