import { findHiddenCharacter } from "./hidden-characters.ts";
import { ShellReader } from "./shell-reader.ts";
import type { ShellReading } from "./shell-reading.ts";

/** A longer text is not read. No person reads it either. */
export const maxShellTextLength = 100_000;

/**
 * Reads which commands a bash text can execute, in all branches, and what cannot be known before it runs. Total and pure;
 * its time grows with the length of the text.
 */
export function parseShell(text: string): ShellReading {
  if (text.length > maxShellTextLength) {
    return {
      commands: [],
      doubts: [{ kind: "too-long", reason: `it is longer than ${maxShellTextLength} characters` }],
    };
  }
  const reader = new ShellReader();
  const hidden = findHiddenCharacter(text);
  if (hidden !== null) reader.doubts.push({ kind: "hidden-characters", reason: `it contains the character ${hidden}` });
  try {
    reader.readText(text);
  } catch {
    // The nesting overflowed the stack, so the commands found so far are incomplete.
    reader.doubts.push({ kind: "syntax", reason: "it cannot be parsed: it is nested too deeply" });
  }
  return { commands: reader.commands, doubts: reader.doubts };
}
