/** Finds where a text occurs in another one, in any case, as the search of the service does. */
export function findOffsets(text: string, wanted: string, limit: number): number[] {
  const haystack = text.toLowerCase();
  const needle = wanted.toLowerCase();
  // A letter whose lower case is longer would move all places after it.
  if (needle === "" || haystack.length !== text.length) return [];
  const offsets: number[] = [];
  for (let at = haystack.indexOf(needle); at !== -1 && offsets.length < limit;) {
    offsets.push(at);
    at = haystack.indexOf(needle, at + needle.length);
  }
  return offsets;
}
