const sequences: Readonly<Record<string, string>> = {
  "\u001B[A": "↑",
  "\u001BOA": "↑",
  "\u001B[B": "↓",
  "\u001BOB": "↓",
  "\u001B[C": "→",
  "\u001BOC": "→",
  "\u001B[D": "←",
  "\u001BOD": "←",
};

const signs: Readonly<Record<string, string>> = {
  "\r": "⏎",
  "\n": "⏎",
  "\t": "⇥",
  "\u001B": "Esc ",
  "\u007F": "⌫",
};

const maxShown = 120;

/** Writes what was typed so that a person recognizes it: keys without a character by their sign, and a long text cut. */
export function describeKeys(keys: string): string {
  let text = keys;
  for (const [sequence, sign] of Object.entries(sequences)) text = text.replaceAll(sequence, sign);
  text = text.replaceAll(/\p{Cc}/gu, (key) => signs[key] ?? describeControl(key));
  const characters = Array.from(text);
  if (characters.length <= maxShown) return text;
  return `${characters.slice(0, maxShown).join("")}… (${characters.length} keys)`;
}

function describeControl(key: string): string {
  const code = key.charCodeAt(0);
  return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : "�";
}
