/** Characters of a tool's output that the model is shown: enough to work with, not so many that nothing else has room. */
const limit = 60_000;

/** Leaves out the middle of what is too long: the beginning says what it is, the end says what came of it. */
export function clip(text: string, longest = limit): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`;
}
