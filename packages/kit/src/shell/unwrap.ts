import { knownWord, unknownWord } from "./read-word.ts";
import type { ShellAssignment, ShellWord } from "./shell-reading.ts";
import { wrappers, type Wrapper } from "./wrappers.ts";

/** What a program runs besides itself. */
export interface WrappedCommands {
  /** Commands as argument lists. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Shell texts. */
  readonly texts: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  /** Why the list may be incomplete, or null. */
  readonly doubt: string | null;
}

const nothing: WrappedCommands = { commands: [], texts: [], assignments: [], doubt: null };

/** Finds the commands that a program takes as arguments. */
export function unwrap(program: string, args: readonly ShellWord[]): WrappedCommands {
  if (program === "find") return unwrapFind(args);
  if (program === "fd" || program === "fdfind")
    return unwrapAfter(args, /^(?:-[HIusigFaLpl01q]*[xX]|--exec(?:-batch)?)$/);
  if (program === "xargs" || program === "parallel") return unwrapXargs(program, args);
  const wrapper = wrappers.get(program);
  if (wrapper === undefined) return nothing;
  const [first] = args;
  // They only look a name up.
  if (program === "command" && /^-[pvV]*[vV]/.test(first?.value ?? "")) return nothing;
  if (wrapper.after === undefined) return readOptions(program, wrapper, args);
  const runs = wrapper.after.split(" ");
  if (first?.value === undefined || first.value === null || !runs.includes(first.value)) return nothing;
  return readOptions(program, wrapper, program === "corepack" ? args : args.slice(1));
}

/** Splits the arguments of a wrapper into its own options and the command. */
function readOptions(program: string, wrapper: Wrapper, args: readonly ShellWord[]): WrappedCommands {
  const list = (options = ""): Set<string> => new Set(options.split(" "));
  const [valued, flags, code] = [list(wrapper.valued), list(wrapper.flags), list(wrapper.code)];
  const texts: ShellWord[] = [];
  const assignments: ShellAssignment[] = [];
  let at = 0;
  let skips = wrapper.skips ?? 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const known = leadingText(word);
    if (known === "" && word.value === null) {
      return { commands: [], texts, assignments, doubt: `an argument of ${program} is computed: ${word.text}` };
    }
    const assignment = wrapper.assigns === true ? readAssignment(word) : null;
    if (assignment !== null) assignments.push(assignment);
    else if (known === "--") {
      at += 1;
      break;
    } else if (known.startsWith("-") && known !== "-") {
      const option = readOption(word, { valued, flags, code });
      if (option === null) {
        return { commands: [], texts, assignments, doubt: `${program} has an option that is not known: ${word.text}` };
      }
      const next = option.takesNext ? args[at + 1] : option.value;
      if (option.isCode && next !== undefined && next !== null)
        texts.push(joinWords([next, ...(program === "env" ? args.slice(at + 2) : [])]));
      if (option.isCode && program === "env") return { commands: [], texts, assignments, doubt: null };
      if (option.takesNext) at += 1;
    } else if (known === "-" && flags.has("-")) continue;
    else if (skips > 0) skips -= 1;
    else break;
  }
  const rest = args.slice(at + skips);
  if (rest.length === 0) return { commands: [], texts, assignments, doubt: null };
  if (wrapper.each === true) return { commands: [], texts: [...texts, ...rest], assignments, doubt: null };
  if (wrapper.joins === true) return { commands: [], texts: [...texts, joinWords(rest)], assignments, doubt: null };
  return { commands: [rest], texts, assignments, doubt: null };
}

interface Option {
  readonly takesNext: boolean;
  readonly value: ShellWord | null;
  readonly isCode: boolean;
}

/** Reads `-x`, `-xVALUE`, `-xyz`, `--name` and `--name=VALUE`; null for an option that is not in the lists. */
function readOption(
  word: ShellWord,
  { valued, flags, code }: Record<"valued" | "flags" | "code", ReadonlySet<string>>,
): Option | null {
  const text = leadingText(word);
  if (text.startsWith("--")) {
    const end = text.indexOf("=");
    const name = end === -1 ? text : text.slice(0, end);
    const isCode = code.has(name);
    if (end !== -1) return valued.has(name) || flags.has(name) || isCode ? attached(word, end + 1, isCode) : null;
    if (word.value === null) return null;
    return valued.has(name) || isCode ? { takesNext: true, value: null, isCode } : flags.has(name) ? flag : null;
  }
  for (let letter = 1; letter < text.length; letter += 1) {
    const name = `-${text[letter]}`;
    const isCode = code.has(name);
    if (valued.has(name) || isCode) {
      const isLast = letter === text.length - 1 && word.value !== null;
      return isLast ? { takesNext: true, value: null, isCode } : attached(word, letter + 1, isCode);
    }
    if (!flags.has(name)) return null;
  }
  return word.value === null ? null : flag;
}

const flag: Option = { takesNext: false, value: null, isCode: false };

function attached(word: ShellWord, start: number, isCode: boolean): Option {
  const value = word.value === null ? unknownWord(word.text) : knownWord(word.value.slice(start));
  return { takesNext: false, value, isCode };
}

function unwrapFind(args: readonly ShellWord[]): WrappedCommands {
  const commands: ShellWord[][] = [];
  let doubt: string | null = null;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word?.value === null && leadingText(word) === "" && at > 0)
      doubt = `an argument of find is computed: ${word.text}`;
    if (word === undefined || !/^-(?:exec|ok)(?:dir)?$/.test(word.value ?? "")) continue;
    const start = at + 1;
    while (at < args.length && args[at]?.value !== ";" && !isPlusEnd(args, at)) at += 1;
    commands.push(args.slice(start, at).map((part) => withHole(part, "{}")));
  }
  return { commands: commands.filter(({ length }) => length > 0), texts: [], assignments: [], doubt };
}

function isPlusEnd(args: readonly ShellWord[], at: number): boolean {
  return args[at]?.value === "+" && args[at - 1]?.value === "{}";
}

function unwrapAfter(args: readonly ShellWord[], option: RegExp): WrappedCommands {
  const start = args.findIndex(({ value }) => value !== null && option.test(value));
  const joined = args.find(({ value }) => value !== null && /^(?:-[a-zA-Z]*[xX].|--exec(?:-batch)?=)/.test(value));
  if (start === -1) return { ...nothing, doubt: joined === undefined ? null : `${joined.text} runs a command` };
  const words = args.slice(start + 1).map((word) => withHole(word, "{"));
  // Without a mark, the found path is the last argument.
  return { ...nothing, commands: [words.some(({ value }) => value === null) ? words : [...words, unknownWord("…")]] };
}

const xargs: Wrapper = {
  valued:
    "-a --arg-file -d --delimiter -E -I -L -n -P -s --max-args --max-procs --max-chars --max-lines --replace --process-slot-var -j --jobs",
  flags:
    "-0 -r -t -p -x -o -i -l -e --null --no-run-if-empty --verbose --interactive --exit --open-tty -k --keep-order",
};

function unwrapXargs(program: string, args: readonly ShellWord[]): WrappedCommands {
  const read = readOptions(program, xargs, args);
  const [command] = read.commands;
  if (command === undefined) {
    return read.doubt === null && program === "xargs"
      ? { ...read, commands: [[knownWord("echo"), unknownWord("…")]] }
      : read;
  }
  const at = args.length - command.length;
  const replaced = args.slice(0, at).findLastIndex(({ value }) => /^-[a-z0]*[Ii]|^--replace/.test(value ?? ""));
  const mark = /^-[a-z0]*I(.+)$|^--replace=(.+)$/.exec(args[replaced]?.value ?? "");
  const hole =
    mark?.[1] ??
    mark?.[2] ??
    (args[replaced]?.value?.endsWith("I") === true ? args[replaced + 1]?.value : null) ??
    "{}";
  const end = command.findIndex(({ value }) => value?.startsWith(":::") === true);
  const words = (end === -1 ? command : command.slice(0, end)).map((word) => withHole(word, hole));
  const doubt = program === "parallel" ? "parallel gives its arguments to a shell" : read.doubt;
  return { ...read, doubt, commands: [replaced === -1 ? [...words, unknownWord("…")] : words] };
}

/** Makes a word unknown if the program replaces a part of it. */
function withHole(word: ShellWord, hole: string): ShellWord {
  if (!word.text.includes(hole) && !(word.value?.includes(hole) ?? false)) return word;
  const start = word.value === null ? "" : word.value.slice(0, word.value.indexOf(hole));
  const unknown = { kind: "unknown" } as const;
  return { text: word.text, value: null, parts: start === "" ? [unknown] : [{ kind: "text", value: start }, unknown] };
}

/** Joins words as programs do that give their arguments to a shell. */
export function joinWords(words: readonly ShellWord[]): ShellWord {
  const text = words.map((word) => word.text).join(" ");
  return words.every(({ value }) => value !== null)
    ? knownWord(words.map(({ value }) => value).join(" "), text)
    : unknownWord(text);
}

/** The exact text with which a word begins, up to the first part that only the shell knows. */
export function leadingText({ value, parts }: ShellWord): string {
  if (value !== null) return value;
  const [first] = parts;
  return first?.kind === "text" ? first.value : "";
}

/** Reads `NAME=value`. */
export function readAssignment(word: ShellWord): ShellAssignment | null {
  const match = /^([A-Za-z_]\w*)\+?=/.exec(leadingText(word));
  const [start = "", name] = match ?? [];
  if (name === undefined) return null;
  const value =
    word.value === null ? unknownWord(word.text.slice(start.length)) : knownWord(word.value.slice(start.length));
  return { name, value };
}
