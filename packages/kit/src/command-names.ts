import { forEachChild, parse, type SyntaxNode, type Word } from "unbash";

/** Programs that run their arguments as commands, so that their own name does not tell what will run. */
const commandRunners = new Set(
  "eval exec source . env xargs sh bash dash zsh ksh sudo doas su nohup nice timeout time command builtin setsid watch ssh find parallel".split(
    " ",
  ),
);

/** The programs that a shell text would run, as far as parsing can tell. */
export interface CommandNames {
  /** Program names without folders, in order of appearance. */
  readonly names: readonly string[];
  /** Why the list may be incomplete: a parse error, a computed name, or a program that runs its arguments. */
  readonly doubt: string | null;
}

/** Lists the programs of a shell text. Uses a real parser, because prefix matching is easy to bypass. */
export function commandNames(text: string): CommandNames {
  const names: string[] = [];
  const doubts: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if ("errors" in node && node.errors !== undefined && node.errors.length > 0) doubts.push("it cannot be parsed");
    if (node.type === "Command" && node.name !== undefined) {
      const name = nameOf(node.name);
      if (name === null) doubts.push(`the name of a command is computed: ${node.name.text}`);
      else names.push(name);
      if (name !== null && commandRunners.has(name)) doubts.push(`${name} runs other commands`);
    }
    forEachChild(node, visit);
  };
  try {
    visit(parse(text));
  } catch {
    // The nesting overflowed the stack, so the names found so far are incomplete.
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
