/** What credentials look like, ours first. */
const credentials = [
  /\bfl_[\w-]{20,}/g,
  /\b(?:bearer|basic) +[^\s"\\,]+/gi,
  /\bsk-[\w-]{16,}/g,
  /\bgh[a-z]_\w{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bey[\w-]{10,}\.ey[\w-]{10,}\.[\w-]+/g,
];

/** A line without what looks like a credential: the last resort, for what should not have come this far. */
export function scrub(line: string): string {
  return credentials.reduce((rest, credential) => rest.replaceAll(credential, "(withheld)"), line);
}
