import { parse } from "unbash";
import { maxShellTextLength } from "./parse-shell.ts";
import { readWord } from "./read-word.ts";

/**
 * The shells whose texts `parseShell` reads. A text for another one keeps its name, which is a doubt: in another folder, a
 * program with the name of a shell can be anything.
 */
const shells = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba)?sh$/;
const codeOption = /^-l?c$/;
const plainWord = /^[\w@%+:,./-]+$/;
const reservedWord = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|time|coproc|select|\[\[)$/;

/** Returns the shell text of a command that an agent states as a text or as a list of arguments, or null. */
export function commandText(command: unknown): string | null {
  if (typeof command === "string") return command === "" ? null : command;
  if (!Array.isArray(command) || command.length === 0) return null;
  const words = command as readonly unknown[];
  if (!words.every((word): word is string => typeof word === "string")) return null;
  return codeOfShell(words) ?? words.map((word) => quoteWord(word)).join(" ");
}

/**
 * Returns the text that a shell executes, for agents that show the whole command line: `bash -lc 'npm test'` is `npm test`.
 * Returns any other text unchanged.
 */
export function unwrapShellText(text: string): string {
  // Every command line of this form begins with the name of a shell.
  if (text.length > 2 * maxShellTextLength || !shells.test(text.slice(0, Math.max(0, text.indexOf(" "))))) return text;
  try {
    const { commands, errors = [] } = parse(text);
    const [statement] = commands;
    const command = statement?.command;
    if (errors.length > 0 || commands.length !== 1 || statement?.background === true) return text;
    if (command?.type !== "Command" || command.name === undefined || command.redirects.length > 0) return text;
    if (command.prefix.length > 0 || command.args.some(({ type }) => type !== "Word")) return text;
    const words = [command.name, ...command.args].flatMap((word) =>
      word.type === "Word" ? readWord(word, new Map()) : [],
    );
    const values = words.flatMap(({ value }) => value ?? []);
    return (values.length === words.length ? codeOfShell(values) : null) ?? text;
  } catch {
    return text; // nested too deeply
  }
}

function codeOfShell(words: readonly string[]): string | null {
  const [shell = "", option = "", code] = words;
  return words.length === 3 && shells.test(shell) && codeOption.test(option) && code !== "" ? (code ?? null) : null;
}

function quoteWord(word: string): string {
  return plainWord.test(word) && !reservedWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
