import { leadingText, type ShellWord } from "@fairlead/kit";
import { pathOf } from "./locate-path.ts";

/** The arguments of a program, separated into options and operands. */
export interface Arguments {
  /** What is not an option, nor the value of one that takes a value. */
  readonly operands: readonly ShellWord[];
  /** Options as written, without those after `--`. */
  readonly options: readonly { readonly name: string; readonly value: ShellWord | undefined }[];
  /** The first argument that the shell computes and that could be an option. */
  readonly computed: ShellWord | undefined;
}

/** Separates options and operands. `valued` lists the options that take the next argument. */
export function separateArguments(args: readonly ShellWord[], valued: ReadonlySet<string> = new Set()): Arguments {
  const operands: ShellWord[] = [];
  const options: { name: string; value: ShellWord | undefined }[] = [];
  let computed: ShellWord | undefined;
  let isOver = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const text = leadingText(word);
    if (isOver || (!text.startsWith("-") && text !== "") || text === "-") operands.push(word);
    else if (text === "" && word.value === null) {
      operands.push(word);
      // A pattern or variable may become an option.
      computed ??= word;
    } else if (text === "--") isOver = true;
    else if (text === "") operands.push(word);
    else {
      const end = text.startsWith("--") ? text.indexOf("=") : -1;
      const name = end === -1 ? text : text.slice(0, end);
      const takesNext = end === -1 && valued.has(name) && word.value !== null;
      options.push({ name, value: takesNext ? args[at + 1] : end === -1 ? undefined : word });
      if (takesNext) at += 1;
    }
  }
  return { operands, options, computed };
}

/** Splits the arguments of a program at its subcommand. */
export function splitSubcommand(
  args: readonly ShellWord[],
  valued: ReadonlySet<string>,
): {
  readonly before: readonly ShellWord[];
  readonly name: ShellWord | undefined;
  readonly after: readonly ShellWord[];
} {
  const name = separateArguments(args, valued).operands[0];
  const at = name === undefined ? args.length : args.indexOf(name);
  return { before: args.slice(0, at), name, after: args.slice(at + 1) };
}

/**
 * Finds an option of a list: long ones also abbreviated, short ones also in groups such as `-xzf`, unless the program has
 * options that are words with one dash. Returns it as written.
 */
export function findOption(
  args: readonly ShellWord[],
  list: readonly string[],
  style: "groups" | "words" = "groups",
): string | null {
  for (const word of args) {
    const text = leadingText(word);
    if (text === "--") return null;
    if (!text.startsWith("-") || text === "-") continue;
    const name = text.startsWith("--") ? (text.split("=", 1)[0] ?? text) : text;
    for (const option of list) {
      if (option.startsWith("--") ? name.length > 2 && option.startsWith(name) : isShort(text, option, style))
        return word.text;
    }
  }
  return null;
}

/**
 * Reports whether an option of a list is certainly given: alone, or in a group of known flags. An option that is not known
 * may take the rest of its group or the next argument, and `--no-…` may take it back.
 */
export function hasFlag(args: readonly ShellWord[], list: readonly string[], flags: readonly string[]): boolean {
  const known = [...list, ...flags];
  let isGiven = false;
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.value ?? null;
    if (text === "--") break;
    if (text === null || text.startsWith("--no-")) return false;
    if (!text.startsWith("-") || text === "-") continue;
    if (text.startsWith("--")) {
      if (list.some((option) => text.length > 3 && option.startsWith(text))) isGiven = true;
      else if (!known.includes(text) && !text.includes("=")) at += 1;
    } else {
      const letters = text
        .slice(1)
        .split("")
        .map((letter) => `-${letter}`);
      if (!letters.every((letter) => known.includes(letter))) at += 1;
      else if (letters.some((letter) => list.includes(letter))) isGiven = true;
    }
  }
  return isGiven;
}

function isShort(text: string, option: string, style: "groups" | "words"): boolean {
  if (option.length > 2 || style === "words")
    return text === option || text.startsWith(`${option}=`) || text.startsWith(`${option}:`);
  if (text.startsWith("--")) return false;
  const group = /^-[a-zA-Z]+/.exec(text)?.[0] ?? text.slice(0, 2);
  return group.includes(option.slice(1), 1);
}

/** Lists the values of options as paths: `-o x`, `-ox`, `--output x`, `--output=x`, and abbreviations. */
export function findOptionValues(args: readonly ShellWord[], options: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    const text = leadingText(word);
    for (const option of options) {
      const isLong = option.startsWith("--");
      const next = args[at + 1];
      if (text === option || (isLong && text.length > 2 && !text.includes("=") && option.startsWith(text))) {
        return next === undefined || leadingText(next).startsWith("-") ? [] : [pathOf(next)];
      }
      if (isLong && text.includes("=") && option.startsWith(text.split("=", 1)[0] ?? ""))
        return [pathOf(word).slice(text.indexOf("=") + 1)];
      if (!isLong && text.startsWith(option) && !text.startsWith("--")) return [pathOf(word).slice(option.length)];
    }
    return [];
  });
}
