import { forEachChild, parse, type SyntaxNode, type Word } from "unbash";

/** Programs whose arguments are themselves commands, so that their own name says nothing of what will run. */
const runners = new Set(
  "eval exec source . env xargs sh bash dash zsh ksh sudo doas su nohup nice timeout time command builtin setsid watch ssh find parallel".split(
    " ",
  ),
);

/** What a piece of shell text would run, as far as reading it can tell. */
export interface CommandNames {
  /** The names of the programs, without their folders, in the order in which they stand. */
  readonly names: readonly string[];
  /** Why the list may not be complete: it does not parse, a name is computed, or a program runs its arguments. */
  readonly doubt: string | null;
}

/** Reads shell text with a real parser: matching by prefix is how every known list of commands was got around. */
export function commandNames(text: string): CommandNames {
  const names: string[] = [];
  const doubts: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if ("errors" in node && node.errors !== undefined && node.errors.length > 0) doubts.push("it cannot be parsed");
    if (node.type === "Command" && node.name !== undefined) {
      const name = nameOf(node.name);
      if (name === null) doubts.push(`the name of a command is computed: ${node.name.text}`);
      else names.push(name);
      if (name !== null && runners.has(name)) doubts.push(`${name} runs other commands`);
    }
    forEachChild(node, visit);
  };
  try {
    visit(parse(text));
  } catch {
    // Nested so deeply that the stack is not enough; what the reader saw until then is not the whole.
    doubts.unshift("it cannot be parsed");
  }
  return { names, doubt: doubts[0] ?? null };
}

function nameOf(word: Word): string | null {
  const literal = (word.parts ?? []).every(
    (part) =>
      part.type === "Literal" ||
      part.type === "SingleQuoted" ||
      part.type === "AnsiCQuoted" ||
      (part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal")),
  );
  return literal ? (word.value.split("/").at(-1) ?? word.value) : null;
}
