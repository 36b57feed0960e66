import type { ShellWord } from "./shell-reading.ts";

/** What a shell is told to execute. */
export interface ShellSource {
  /** The text of `-c`. */
  readonly text: ShellWord | null;
  /** The script file. */
  readonly script: ShellWord | null;
  readonly doubt: string | null;
}

/** Reads the options of a shell. Without text and script it executes its input. */
export function readShellOptions(args: readonly ShellWord[]): ShellSource {
  let isText = false;
  let readsInput = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { value } = word;
    if (value === null) {
      // Nothing tells whether it is an option, text or a file.
      return isText ? { text: word, script: null, doubt: null } : { text: null, script: word, doubt: null };
    }
    if (/^--(?:rcfile|init-file)/.test(value)) return { text: null, script: null, doubt: `${value} executes a file` };
    if (value === "--" || value === "-") {
      const rest = args[at + 1] ?? null;
      return isText ? { text: rest, script: null, doubt: null } : { text: null, script: rest, doubt: null };
    }
    if (/^[-+][^-]/.test(value)) {
      isText ||= /^-[a-zA-Z]*c/.test(value);
      readsInput ||= /^-[a-zA-Z]*[si]/.test(value);
      if (/^[-+][a-zA-Z]*[oO]$/.test(value)) at += 1;
    } else if (!value.startsWith("--")) {
      if (isText) return { text: word, script: null, doubt: null };
      return { text: null, script: readsInput ? null : word, doubt: null };
    }
  }
  return { text: null, script: null, doubt: isText ? "its text is missing" : null };
}
