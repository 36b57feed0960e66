/** The keys that a keyboard of a phone lacks. */
export const terminalKeys = ["Esc", "Tab", "←", "↑", "↓", "→"] as const;
export type TerminalKey = (typeof terminalKeys)[number];

const letters: Readonly<Record<Exclude<TerminalKey, "Esc" | "Tab">, string>> = {
  "↑": "A",
  "↓": "B",
  "→": "C",
  "←": "D",
};

/** Returns what a terminal sends for a key. Programs choose between two forms of the arrow keys. */
export function encodeKey(key: TerminalKey, isApplicationMode: boolean): string {
  if (key === "Esc") return "\u001B";
  if (key === "Tab") return "\t";
  return `\u001B${isApplicationMode ? "O" : "["}${letters[key]}`;
}

/** Returns what a terminal sends if Ctrl is held during a text. A text that has no such form is sent as it is. */
export function withControl(text: string): string {
  const code = text.toUpperCase().charCodeAt(0);
  if (text === " ") return "\u0000";
  return text.length === 1 && code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : text;
}
