/** Splits a text at a length. Does not split a character of two units: each half would be typed as a replacement character. */
export function splitKeys(text: string, length: number): [first: string, rest: string] {
  if (text.length <= length) return [text, ""];
  const isPairSplit = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  const end = isPairSplit && length > 1 ? length - 1 : length;
  return [text.slice(0, end), text.slice(end)];
}
