/**
 * Whether the words of a link begin with the host that it leads to, as a person reads it. An address such as
 * `https://bank.example@evil.example/` or one with letters that look alike does not.
 */
export function namesHost(words: string, { protocol, host }: Pick<URL, "protocol" | "host">): boolean {
  const start = `${protocol}//${host}`;
  return words.startsWith(start) && ["", "/", "?", "#"].includes(words.slice(start.length, start.length + 1));
}
